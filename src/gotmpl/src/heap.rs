//! The heap of one render: strings, lists, maps and objects that templates share and change, labels, fuel and limits.
//! It is dropped as a whole, so that values that contain themselves neither leak nor overflow a stack.

use crate::error::FuncError;
use crate::label::{Dep, Label, Labels};
use crate::marked::{Action, FileId, Mark, Marked, StackId};
use crate::types::{ListType, MapType, ObjectType};
use crate::value::{Bytes, Data, Key, Kind, ListId, MapId, ObjId, StrId, Value};
use base::limits;
use std::any::Any;
use std::rc::Rc;

#[derive(Debug)]
struct Text {
    bytes: Bytes,
    marks: Option<Rc<[Mark]>>,
}

#[derive(Debug)]
struct List {
    ty: &'static ListType,
    items: Rc<Vec<Value>>,
}

#[derive(Debug)]
struct Map {
    ty: &'static MapType,
    /// Sorted by key. Shared with iterations that run: a change then copies.
    entries: Rc<Vec<(Key, Value)>>,
}

/// A struct, a pointer to one, or a named scalar.
pub struct ObjectData {
    /// Its type.
    pub ty: &'static ObjectType,
    /// Field values, by [`Field::index`](crate::Field::index); the scalar for a named scalar.
    pub fields: Vec<Value>,
    /// What the host keeps with it (a parsed version, an instant).
    pub native: Option<Rc<dyn Any>>,
}

impl std::fmt::Debug for ObjectData {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}{:?}", self.ty, self.fields)
    }
}

/// The heap of one render.
#[derive(Debug)]
pub struct Heap {
    strings: Vec<Text>,
    lists: Vec<List>,
    maps: Vec<Map>,
    objects: Vec<ObjectData>,
    labels: Labels,
    files: Vec<Rc<str>>,
    stacks: Vec<(StackId, Action, Rc<str>)>,
    tracing: bool,
    /// Steps left before the render is given up.
    pub fuel: u64,
    /// Bytes that strings, lists and maps may still take.
    pub room: usize,
}

impl Heap {
    /// An empty heap; `tracing` switches labels and marks on.
    pub fn new(tracing: bool) -> Heap {
        Heap {
            strings: Vec::new(),
            lists: Vec::new(),
            maps: Vec::new(),
            objects: Vec::new(),
            labels: Labels::new(),
            files: Vec::new(),
            stacks: vec![(StackId::ROOT, Action::NONE, Rc::from(""))],
            tracing,
            fuel: limits::RENDER_FUEL,
            room: limits::RENDER_HEAP,
        }
    }

    /// Whether labels and marks are kept.
    pub fn tracing(&self) -> bool {
        self.tracing
    }

    /// Spends `steps` of fuel; an error when none is left.
    pub fn spend(&mut self, steps: u64) -> Result<(), FuncError> {
        match self.fuel.checked_sub(steps) {
            Some(left) => {
                self.fuel = left;
                Ok(())
            }
            None => {
                self.fuel = 0;
                Err(FuncError::Limit(format!("render stopped after {} steps", limits::RENDER_FUEL)))
            }
        }
    }

    /// An error when `bytes` more would be too many. Call it before making something large (`repeat`, `until`).
    pub fn reserve(&self, bytes: usize) -> Result<(), FuncError> {
        if bytes <= self.room {
            return Ok(());
        }
        Err(FuncError::Limit(format!("render needs more than {} MiB of memory", limits::RENDER_HEAP >> 20)))
    }

    fn take(&mut self, bytes: usize) {
        self.room = self.room.saturating_sub(bytes);
    }

    // Strings.

    /// A string without marks.
    pub fn str(&mut self, bytes: impl Into<Bytes>) -> Value {
        let id = self.push_text(bytes.into(), None);
        Value::new(Data::Str(id))
    }

    /// A `[]uint8`.
    pub fn byte_slice(&mut self, bytes: impl Into<Bytes>) -> Value {
        let id = self.push_text(bytes.into(), None);
        Value::new(Data::Bytes(id))
    }

    /// A string with marks.
    pub fn marked(&mut self, text: Marked) -> Value {
        let marks = (!text.marks.is_empty()).then(|| Rc::from(text.marks));
        let id = self.push_text(Bytes::Owned(text.bytes), marks);
        Value::new(Data::Str(id))
    }

    fn push_text(&mut self, bytes: Bytes, marks: Option<Rc<[Mark]>>) -> StrId {
        self.take(size_of::<Text>() + if let Bytes::Owned(b) = &bytes { b.len() } else { 0 });
        self.strings.push(Text { bytes, marks });
        StrId(self.strings.len() as u32 - 1)
    }

    /// The bytes and marks behind a handle.
    pub fn text(&self, id: StrId) -> (&[u8], &[Mark]) {
        let text = &self.strings[id.0 as usize];
        (text.bytes.as_slice(), text.marks.as_deref().unwrap_or(&[]))
    }

    /// The bytes of a string or `[]uint8`; empty for anything else.
    pub fn bytes(&self, value: Value) -> &[u8] {
        match value.data {
            Data::Str(id) | Data::Bytes(id) => self.text(id).0,
            _ => &[],
        }
    }

    /// The marks of a string.
    pub fn marks(&self, value: Value) -> &[Mark] {
        match value.data {
            Data::Str(id) | Data::Bytes(id) => self.text(id).1,
            _ => &[],
        }
    }

    /// The bytes, when it is a string.
    pub fn as_str(&self, value: Value) -> Option<&[u8]> {
        match value.data {
            Data::Str(id) => Some(self.text(id).0),
            _ => None,
        }
    }

    /// The bytes of a string as text, invalid bytes replaced.
    pub fn lossy(&self, value: Value) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.bytes(value))
    }

    /// A map key out of a string.
    pub fn key(&self, value: Value) -> Key {
        match value.data {
            Data::Str(id) | Data::Bytes(id) => match &self.strings[id.0 as usize].bytes {
                Bytes::Shared(bytes) => bytes.clone(),
                other => Rc::from(other.as_slice()),
            },
            _ => Rc::from([]),
        }
    }

    // Lists.

    /// A list of type `[]interface {}`.
    pub fn list(&mut self, items: Vec<Value>) -> Value {
        self.list_of(ListType::ANY, items)
    }

    /// A list of type `[]string`.
    pub fn strings<B: Into<Bytes>>(&mut self, items: impl IntoIterator<Item = B>) -> Value {
        let items = items.into_iter().map(|item| self.str(item)).collect();
        self.list_of(ListType::STRINGS, items)
    }

    /// A list of a type.
    pub fn list_of(&mut self, ty: &'static ListType, items: Vec<Value>) -> Value {
        self.take(size_of::<List>() + items.len() * size_of::<Value>());
        self.lists.push(List { ty, items: Rc::new(items) });
        Value::new(Data::List(ListId(self.lists.len() as u32 - 1)))
    }

    /// The elements behind a handle, shared.
    pub fn items(&self, id: ListId) -> Rc<Vec<Value>> {
        self.lists[id.0 as usize].items.clone()
    }

    /// The type behind a handle.
    pub fn list_type(&self, id: ListId) -> &'static ListType {
        self.lists[id.0 as usize].ty
    }

    /// The elements of a list (none for a nil slice; numbers for a `[]uint8`); `None` when it is no slice.
    pub fn elements(&self, value: Value) -> Option<Rc<Vec<Value>>> {
        match value.data {
            Data::List(id) => Some(self.items(id)),
            Data::NilOf(ty) if ty.kind == Kind::Slice => Some(Rc::default()),
            Data::Bytes(id) => {
                let bytes = self.text(id).0.iter();
                let byte = |b: &u8| Value::new(Data::Int(i64::from(*b), crate::IntKind::Uint8)).with_label(value.label);
                Some(Rc::new(bytes.map(byte).collect()))
            }
            _ => None,
        }
    }

    /// Overwrites one element.
    pub fn set_item(&mut self, id: ListId, index: usize, value: Value) {
        if let Some(slot) = Rc::make_mut(&mut self.lists[id.0 as usize].items).get_mut(index) {
            *slot = value.unboxed();
        }
    }

    // Maps.

    /// An empty map of type `map[string]interface {}`.
    pub fn map(&mut self) -> Value {
        self.map_of(MapType::ANY, Vec::new())
    }

    /// A map of a type with these entries; of equal keys the last wins.
    pub fn map_of(&mut self, ty: &'static MapType, mut entries: Vec<(Key, Value)>) -> Value {
        if !entries.is_sorted_by(|a, b| a.0 < b.0) {
            entries.reverse();
            base::order::sort_by(&mut entries, |a, b| a.0.cmp(&b.0));
            entries.dedup_by(|later, first| later.0 == first.0);
        }
        self.take(size_of::<Map>() + entries.len() * size_of::<(Key, Value)>());
        self.maps.push(Map { ty, entries: Rc::new(entries) });
        Value::new(Data::Map(MapId(self.maps.len() as u32 - 1)))
    }

    /// The type behind a handle.
    pub fn map_type(&self, id: MapId) -> &'static MapType {
        self.maps[id.0 as usize].ty
    }

    /// The entries sorted by key, shared: a later change of the map does not show in them.
    pub fn entries(&self, id: MapId) -> Rc<Vec<(Key, Value)>> {
        self.maps[id.0 as usize].entries.clone()
    }

    /// The number of entries.
    pub fn map_len(&self, id: MapId) -> usize {
        self.maps[id.0 as usize].entries.len()
    }

    /// The entry of a key.
    pub fn get(&self, id: MapId, key: &[u8]) -> Option<Value> {
        let entries = &self.maps[id.0 as usize].entries;
        entries.binary_search_by(|(k, _)| (**k).cmp(key)).ok().map(|i| entries[i].1)
    }

    /// Sets the entry of a key.
    pub fn set(&mut self, id: MapId, key: impl Into<Key>, value: Value) {
        let key = key.into();
        let value = value.unboxed();
        let entries = Rc::make_mut(&mut self.maps[id.0 as usize].entries);
        match entries.binary_search_by(|(k, _)| k.cmp(&key)) {
            Ok(i) => entries[i].1 = value,
            Err(i) => {
                entries.insert(i, (key, value));
                self.take(size_of::<(Key, Value)>());
            }
        }
    }

    /// Sets the entry of a key given as text.
    pub fn set_str(&mut self, id: MapId, key: &str, value: Value) {
        self.set(id, Key::from(key.as_bytes()), value);
    }

    /// Removes the entry of a key.
    pub fn remove(&mut self, id: MapId, key: &[u8]) -> Option<Value> {
        let entries = &mut self.maps[id.0 as usize].entries;
        let i = entries.binary_search_by(|(k, _)| (**k).cmp(key)).ok()?;
        Some(Rc::make_mut(entries).remove(i).1)
    }

    // Objects.

    /// A host object.
    pub fn object(&mut self, data: ObjectData) -> Value {
        self.take(size_of::<ObjectData>() + data.fields.len() * size_of::<Value>());
        self.objects.push(data);
        Value::new(Data::Object(ObjId(self.objects.len() as u32 - 1)))
    }

    /// The object behind a handle.
    pub fn object_data(&self, id: ObjId) -> &ObjectData {
        &self.objects[id.0 as usize]
    }

    /// What the host keeps with an object, as what it is.
    pub fn native<T: Any>(&self, value: Value) -> Option<&T> {
        match value.data {
            Data::Object(id) => self.object_data(id).native.as_ref()?.downcast_ref(),
            _ => None,
        }
    }

    // Labels, files, stacks.

    /// The label of one dependency, as data.
    pub fn label_dep(&mut self, dep: Dep) -> Label {
        if self.tracing { self.labels.of(&[dep], &[]) } else { Label::NONE }
    }

    /// The label of these dependencies.
    pub fn label_of_deps(&mut self, data: &[Dep], control: &[Dep]) -> Label {
        if self.tracing { self.labels.of(data, control) } else { Label::NONE }
    }

    /// The dependencies that flowed into the value, sorted.
    pub fn label_data(&self, label: Label) -> &[Dep] {
        self.labels.data(label)
    }

    /// The dependencies that decided about the value, sorted.
    pub fn label_control(&self, label: Label) -> &[Dep] {
        self.labels.control(label)
    }

    /// Both labels together.
    pub fn join(&mut self, a: Label, b: Label) -> Label {
        if a == b { a } else { self.labels.union(a, b) }
    }

    /// Everything in `label`, as control.
    pub fn as_control(&mut self, label: Label) -> Label {
        self.labels.as_control(label)
    }

    /// All that a value depends on: its own label and its marks' (not what a list or map holds).
    pub fn label_of(&mut self, value: Value) -> Label {
        let mut label = value.label;
        if !self.tracing {
            return label;
        }
        if let Data::Str(id) | Data::Bytes(id) = value.data
            && let Some(marks) = self.strings[id.0 as usize].marks.clone()
        {
            for mark in marks.iter() {
                label = self.join(label, mark.label);
            }
        }
        label
    }

    /// The value with what decided about it: `tested`'s dependencies join as control.
    pub fn decided_by(&mut self, value: Value, tested: Value) -> Value {
        if !self.tracing {
            return value;
        }
        let label = self.label_of(tested);
        let control = self.as_control(label);
        value.with_label(self.join(value.label, control))
    }

    /// The value with all that `other` depends on joined to its data.
    pub fn also_from(&mut self, value: Value, other: Value) -> Value {
        if !self.tracing {
            return value;
        }
        let label = self.label_of(other);
        value.with_label(self.join(value.label, label))
    }

    /// The name of a template file.
    pub fn file(&self, id: FileId) -> Option<&Rc<str>> {
        self.files.get(id.0 as usize)
    }

    /// The number of a template file, which it gets when first seen.
    pub fn file_id(&mut self, name: &Rc<str>) -> FileId {
        let at = self.files.iter().position(|f| Rc::ptr_eq(f, name) || f == name);
        FileId(at.unwrap_or_else(|| {
            self.files.push(name.clone());
            self.files.len() - 1
        }) as u32)
    }

    /// The innermost call of a stack: the calls around it, the action that called, the template called.
    /// `None` for [`StackId::ROOT`].
    pub fn stack(&self, id: StackId) -> Option<(StackId, Action, &Rc<str>)> {
        if id == StackId::ROOT {
            return None;
        }
        self.stacks.get(id.0 as usize).map(|(up, action, name)| (*up, *action, name))
    }

    pub(crate) fn push_stack(&mut self, up: StackId, action: Action, name: &Rc<str>) -> StackId {
        self.stacks.push((up, action, name.clone()));
        StackId(self.stacks.len() as u32 - 1)
    }
}

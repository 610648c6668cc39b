//! What can happen to a simulation from outside: everything a person types or clicks, as plain data. A log of
//! commands is the whole history; the same log gives the same state, byte for byte.

use base::{Diagnostic, Json};
use std::rc::Rc;

/// Where `kubectl apply -f` reads from.
#[derive(Clone, Debug, PartialEq)]
pub enum ApplyFrom {
    /// A file on the simulated disk.
    File(Rc<str>),
    /// The text itself, as with `-f -`.
    Text(Rc<str>),
}

/// Names one object of the cluster. Cluster-scoped kinds have an empty namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectRef {
    /// API group; empty for core.
    pub group: Rc<str>,
    /// Kind, such as `Deployment`.
    pub kind: Rc<str>,
    /// Namespace; empty for cluster-scoped kinds.
    pub namespace: Rc<str>,
    /// Name.
    pub name: Rc<str>,
}

/// A condition to run until.
#[derive(Clone, Debug, PartialEq)]
pub enum Until {
    /// The Application's sync status and health are these, and no operation runs.
    App {
        /// Name of the Application.
        name: Rc<str>,
        /// Wanted `status.sync.status`; any when `None`.
        sync: Option<Rc<str>>,
        /// Wanted `status.health.status`; any when `None`.
        health: Option<Rc<str>>,
        /// Wanted `status.operationState.phase`; any when `None`.
        phase: Option<Rc<str>>,
    },
    /// The object exists (or does not).
    Exists(ObjectRef, bool),
}

/// One command. Paths are absolute paths of the simulated machine (`/root/capa-src/repo/…`).
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Writes a file on the simulated disk, making its folders.
    WriteFile {
        /// Absolute path.
        path: Rc<str>,
        /// Content.
        bytes: Rc<[u8]>,
    },
    /// Removes a file.
    DeleteFile {
        /// Absolute path.
        path: Rc<str>,
    },
    /// Renames a file or a folder with all it holds.
    RenameFile {
        /// Absolute path now.
        from: Rc<str>,
        /// Absolute path then.
        to: Rc<str>,
    },
    /// `git init --bare PATH` (branch `main`). A bare repository `/srv/bare/NAME.git` is served as
    /// `git://gitd.gitsrv.svc.cluster.local:9418/NAME.git`; other URLs are bound by [`Command::BindUrl`].
    GitInitBare {
        /// Absolute path of the bare repository.
        path: Rc<str>,
    },
    /// Lets a URL mean a bare repository.
    BindUrl {
        /// The URL as an Application writes it.
        url: Rc<str>,
        /// Path of the bare repository.
        path: Rc<str>,
    },
    /// `git clone FROM DIR`: FROM is the path of a bare repository or a bound URL.
    GitClone {
        /// Path or URL.
        from: Rc<str>,
        /// Absolute path of the work tree.
        dir: Rc<str>,
    },
    /// `git add -A && git commit -m MESSAGE` in a work tree.
    GitCommit {
        /// Absolute path of the work tree.
        dir: Rc<str>,
        /// The message.
        message: Rc<str>,
    },
    /// `git push origin BRANCH`; the current branch when `None`.
    GitPush {
        /// Absolute path of the work tree.
        dir: Rc<str>,
        /// Branch.
        branch: Option<Rc<str>>,
    },
    /// `git checkout [-b] BRANCH`: switches the work tree, making the branch when `create`.
    GitCheckout {
        /// Absolute path of the work tree.
        dir: Rc<str>,
        /// Branch.
        branch: Rc<str>,
        /// `-b`.
        create: bool,
    },
    /// A commit made straight in a bare repository, as a colleague who pushes does: files to write, paths to delete.
    RemoteCommit {
        /// Path of the bare repository.
        path: Rc<str>,
        /// Branch; made when missing.
        branch: Rc<str>,
        /// Message.
        message: Rc<str>,
        /// Path in the repository → content.
        files: Vec<(Rc<str>, Rc<[u8]>)>,
        /// Paths in the repository to delete.
        deleted: Vec<Rc<str>>,
    },
    /// A light tag in a bare repository on the head of a branch (or on any revision).
    RemoteTag {
        /// Path of the bare repository.
        path: Rc<str>,
        /// Tag.
        tag: Rc<str>,
        /// Revision that it names.
        revision: Rc<str>,
    },
    /// `kubectl apply -f …`; objects without a namespace go to `namespace` (`default` when `None`).
    KubectlApply {
        /// File or text.
        from: ApplyFrom,
        /// `-n`.
        namespace: Option<Rc<str>>,
    },
    /// `kubectl delete`, in the background as kubectl does by default.
    KubectlDelete(ObjectRef),
    /// `kubectl patch --type merge`.
    KubectlPatch {
        /// The object.
        object: ObjectRef,
        /// The JSON merge patch.
        patch: Json,
    },
    /// `kubectl scale --replicas`.
    KubectlScale {
        /// The object.
        object: ObjectRef,
        /// Wanted replicas.
        replicas: i64,
    },
    /// `kubectl annotate --overwrite`; a value of `None` removes the annotation.
    KubectlAnnotate {
        /// The object.
        object: ObjectRef,
        /// Annotation.
        key: Rc<str>,
        /// Value.
        value: Option<Rc<str>>,
    },
    /// `kubectl create namespace`, `kubectl create configmap --from-literal`: the object that kubectl makes of it.
    KubectlCreate(Json),
    /// `kubectl delete KIND -l SELECTOR`.
    KubectlDeleteMatching {
        /// Kind and namespace; the name is empty.
        object: ObjectRef,
        /// The label selector.
        selector: Rc<str>,
    },
    /// `kubectl label [--overwrite]`; a value of `None` removes the label.
    KubectlLabel {
        /// The object.
        object: ObjectRef,
        /// Label.
        key: Rc<str>,
        /// Value.
        value: Option<Rc<str>>,
        /// `--overwrite`.
        overwrite: bool,
    },
    /// `kubectl patch` with any of its flags.
    KubectlEdit {
        /// The object.
        object: ObjectRef,
        /// `--type`.
        kind: cluster::PatchType,
        /// The patch.
        patch: Json,
        /// `--subresource`; empty for the object itself.
        part: Rc<str>,
        /// `--field-manager`; `kubectl-patch` when empty.
        manager: Rc<str>,
    },
    /// `kubectl set env` on every container.
    KubectlSetEnv {
        /// The workload.
        object: ObjectRef,
        /// Variables with their values, `None` for one to remove.
        pairs: Vec<(Rc<str>, Option<Rc<str>>)>,
    },
    /// `kubectl set image`.
    KubectlSetImage {
        /// The workload.
        object: ObjectRef,
        /// Containers (`*` for all) with their images.
        pairs: Vec<(Rc<str>, Rc<str>)>,
    },
    /// Sets `argocd.argoproj.io/refresh` on an Application: `hard` or `normal`.
    Refresh {
        /// Name of the Application.
        app: Rc<str>,
        /// Also drop the manifest cache.
        hard: bool,
    },
    /// `argocd app sync APP [--prune]` by the user `admin`.
    SyncApp {
        /// Name of the Application.
        app: Rc<str>,
        /// `--prune`.
        prune: bool,
    },
    /// `argocd app sync APP` with any of its flags.
    SyncAppWith {
        /// Name of the Application.
        app: Rc<str>,
        /// The flags.
        request: argocd::SyncRequest,
    },
    /// `argocd app rollback APP ID`.
    Rollback {
        /// Name of the Application.
        app: Rc<str>,
        /// Id of an entry of its history.
        id: i64,
    },
    /// `argocd app terminate-op APP`.
    TerminateOp {
        /// Name of the Application.
        app: Rc<str>,
    },
    /// Lets virtual time pass, in milliseconds.
    Advance(i64),
    /// Runs until nothing but periodic polling is due, at most this many milliseconds.
    RunUntilIdle(i64),
    /// Runs until a condition holds, at most this many milliseconds.
    RunUntil(Until, i64),
}

/// What a command answered, as a shell would show it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Exit code.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The same failure as diagnostics with places and hints, where there are some.
    pub diagnostics: Vec<Diagnostic>,
}

impl Outcome {
    /// Success with this standard output.
    pub fn ok(stdout: impl Into<String>) -> Outcome {
        Outcome { stdout: stdout.into(), ..Outcome::default() }
    }

    /// Failure with this exit code and standard error.
    pub fn fail(code: i32, stderr: impl Into<String>) -> Outcome {
        Outcome { code, stderr: stderr.into(), ..Outcome::default() }
    }
}

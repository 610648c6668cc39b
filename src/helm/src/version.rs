//! Which Helm is mirrored. Helm 3.21.4 is what `helm template` means today; Argo CD 3.5 renders with Helm 4.

/// The Helm generation whose behaviour is mirrored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HelmVersion {
    /// Helm 3.21.4.
    #[default]
    V3,
    /// Helm 4.2.4.
    V4,
}

impl HelmVersion {
    /// True for Helm 4.
    pub fn is_v4(self) -> bool {
        self == HelmVersion::V4
    }
}

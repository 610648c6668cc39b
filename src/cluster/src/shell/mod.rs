//! The small shell: runs the command of a container on virtual time, with the exit codes of a real one. A script that
//! waits is data ([`Machine`]); what it can reach is asked of a [`World`] at the moment it asks.

mod client;
mod expand;
mod network;
mod parse;
mod programs;
mod run;
mod start;

pub(crate) use network::ClusterNetwork;
pub(crate) use run::Machine;

use base::Time;

/// How far a script has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// It has ended.
    Exited {
        /// Exit code.
        code: i64,
        /// When it ended; may lie ahead.
        at: Time,
    },
    /// It sleeps until then.
    Waits(Time),
    /// It will never do anything else.
    Forever,
    /// It has become the image's own program.
    Becomes,
}

/// What a connection attempt finds. Addresses are texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The name does not resolve.
    Unknown,
    /// Nobody listens.
    Refused(String),
    /// No answer comes.
    Silent(String),
    /// Somebody listens.
    Open(String),
}

/// What surrounds a script.
pub(crate) trait World {
    /// Tries a host; without a port, only its name.
    fn reach(&self, host: &str, port: Option<i64>) -> Reach;
}

#[cfg(test)]
mod tests;

//! The playground: command log, snapshots, lessons, views.

//! YAML as Go reads and writes it: reader with spans, resolvers, emitters.

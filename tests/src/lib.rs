//! Cases as files, conformance, house rules, browser tests.

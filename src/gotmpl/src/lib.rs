//! Go text/template: lexer, parser, evaluator with origins.

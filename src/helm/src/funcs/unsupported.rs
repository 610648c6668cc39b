//! Functions that are known but not simulated yet: certificates, keys, password hashes, AES. They say so instead of
//! giving a wrong result.

use super::args::Res;
use gotmpl::{Call, FuncError, Value};

fn not_yet(name: &str) -> Res {
    Err(FuncError::Limit(format!("function {name} is not simulated yet")))
}

macro_rules! unsupported {
    ($($rust:ident = $name:literal),* $(,)?) => {
        $(pub(super) fn $rust(_: &mut Call<'_>, _: &[Value]) -> Res {
            not_yet($name)
        })*
    };
}

unsupported!(
    bcrypt = "bcrypt",
    build_custom_cert = "buildCustomCert",
    decrypt_aes = "decryptAES",
    derive_password = "derivePassword",
    encrypt_aes = "encryptAES",
    gen_ca = "genCA",
    gen_ca_with_key = "genCAWithKey",
    gen_private_key = "genPrivateKey",
    gen_self_signed_cert = "genSelfSignedCert",
    gen_self_signed_cert_with_key = "genSelfSignedCertWithKey",
    gen_signed_cert = "genSignedCert",
    gen_signed_cert_with_key = "genSignedCertWithKey",
    htpasswd = "htpasswd",
);

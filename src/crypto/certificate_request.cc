#include "crypto/certificate_request.h"

#include <openssl/x509.h>

#include "base/check.h"
#include "crypto/internal/identity_codec.h"
#include "crypto/internal/openssl.h"
#include "crypto/pem.h"

namespace proa::crypto {
namespace certificate_request {

// Shorter keys can be broken; checking a signature of a longer one takes too long.
constexpr int kMinRsaBits = 1024;
constexpr int kMaxRsaBits = 8192;

Status invalid(std::string message) { return {Reason::kInvalid, std::move(message)}; }

bool is_accepted_curve(EVP_PKEY* key) {
  char curve[64] = "";
  size_t size = 0;
  // Fails for curves that the request defines itself.
  if (EVP_PKEY_get_group_name(key, curve, sizeof curve, &size) != 1) return false;
  const std::string_view name(curve, size);
  return name == "prime256v1" || name == "secp224r1" || name == "secp384r1" || name == "secp521r1";
}

// Go's message for a signature that does not verify; empty for keys that are not accepted.
std::string_view verification_error(EVP_PKEY* key) {
  switch (EVP_PKEY_get_base_id(key)) {
    case EVP_PKEY_RSA: {
      const int bits = EVP_PKEY_get_bits(key);
      return bits >= kMinRsaBits && bits <= kMaxRsaBits ? "crypto/rsa: verification error" : "";
    }
    case EVP_PKEY_EC:
      return is_accepted_curve(key) ? "x509: ECDSA verification failure" : "";
    case EVP_PKEY_ED25519:
      return "x509: Ed25519 verification failure";
    default:
      return "";
  }
}

bool is_broken_digest(int signature) {
  int digest = NID_undef;
  OBJ_find_sigid_algs(signature, &digest, nullptr);
  return digest == NID_md2 || digest == NID_md4 || digest == NID_md5 || digest == NID_md5_sha1;
}

Result<void> add_names(X509_REQ* request, const CertificateIdentity& identity) {
  const openssl::NamesPointer names = TRY(openssl::make_names(identity));
  if (names == nullptr) return {};
  STACK_OF(X509_EXTENSION)* extensions = nullptr;
  const bool encoded =
      X509V3_add1_i2d(&extensions, NID_subject_alt_name, names.get(), 0, X509V3_ADD_DEFAULT) == 1;
  const openssl::ExtensionsPointer owned(extensions);
  if (!encoded || X509_REQ_add_extensions(request, extensions) != 1) {
    return openssl::failure("adding names to a certificate request");
  }
  return {};
}

}  // namespace certificate_request

Result<CertificateRequest> CertificateRequest::parse(std::string_view pem) {
  using namespace certificate_request;
  const auto block = next_pem_block(pem);
  if (!block || block->type != "CERTIFICATE REQUEST") {
    return invalid("PEM block type must be CERTIFICATE REQUEST");
  }
  const unsigned char* at = openssl::bytes_of(block->bytes);
  const unsigned char* end = at + block->bytes.size();
  openssl::RequestPointer read(d2i_X509_REQ(nullptr, &at, static_cast<long>(block->bytes.size())));
  if (read == nullptr) return openssl::failure("asn1: structure error");
  ERR_clear_error();
  if (at != end) return invalid("asn1: syntax error: trailing data");
  CertificateRequest request({read.release(), X509_REQ_free});
  X509_REQ* raw = request.request_.get();
  TRY(openssl::read_subject(X509_REQ_get_subject_name(raw), request.identity_));
  const openssl::ExtensionsPointer extensions(X509_REQ_get_extensions(raw));
  ERR_clear_error();
  TRY(openssl::read_names(extensions.get(), request.identity_));
  return request;
}

Result<void> CertificateRequest::check_signature() const {
  using namespace certificate_request;
  X509_REQ* raw = request_.get();
  EVP_PKEY* key = X509_REQ_get0_pubkey(raw);
  ERR_clear_error();
  if (key == nullptr) return invalid("x509: unsupported public key");
  const std::string_view error = verification_error(key);
  if (error.empty()) return invalid("x509: cannot verify signature: algorithm unimplemented");
  const int signature = X509_REQ_get_signature_nid(raw);
  if (is_broken_digest(signature)) {
    return invalid("x509: cannot verify signature: insecure algorithm " +
                   std::string(OBJ_nid2sn(signature)));
  }
  const bool good = X509_REQ_verify(raw, key) == 1;
  ERR_clear_error();
  if (!good) return invalid(std::string(error));
  return {};
}

Result<PublicKey> CertificateRequest::public_key() const {
  std::shared_ptr<evp_pkey_st> key(X509_REQ_get_pubkey(request_.get()), EVP_PKEY_free);
  if (key == nullptr) return openssl::failure("reading the public key of a certificate request");
  return PublicKey(std::move(key));
}

Result<std::string> make_certificate_request(const PrivateKey& key,
                                             const CertificateIdentity& identity) {
  const openssl::RequestPointer request(X509_REQ_new());
  CHECK(request != nullptr);
  TRY(openssl::check_dns_names(identity));
  TRY(openssl::write_subject(identity, X509_REQ_get_subject_name(request.get())));
  TRY(certificate_request::add_names(request.get(), identity));
  if (X509_REQ_set_pubkey(request.get(), key.raw()) != 1 ||
      X509_REQ_sign(request.get(), key.raw(), EVP_sha256()) <= 0) {
    return openssl::failure("signing a certificate request");
  }
  std::optional<std::string> pem =
      openssl::written([&](BIO* bio) { return PEM_write_bio_X509_REQ(bio, request.get()); });
  CHECK(pem.has_value());
  return std::move(*pem);
}

}  // namespace proa::crypto

#include "client/certificates/certificate_request.h"

#include <openssl/x509.h>

#include <algorithm>

#include "http/net/openssl.h"
#include "kinds/certificates/pem.h"

namespace proa::client {
namespace certificate_request {

using http::openssl::Freed;
using http::openssl::last_error;

void free_extensions(STACK_OF(X509_EXTENSION) * extensions) {
  sk_X509_EXTENSION_pop_free(extensions, X509_EXTENSION_free);
}
using ExtensionsPointer = std::unique_ptr<STACK_OF(X509_EXTENSION), Freed<free_extensions>>;
using NamesPointer = std::unique_ptr<GENERAL_NAMES, Freed<GENERAL_NAMES_free>>;

// Shorter keys can be broken; longer ones keep the one who checks a signature busy for long.
constexpr int kLeastRsaBits = 1024;
constexpr int kMostRsaBits = 8192;

Status bad(std::string message) { return {Reason::kInvalid, std::move(message)}; }

Result<std::string> text_of(const ASN1_STRING* string) {
  unsigned char* text = nullptr;
  const int size = ASN1_STRING_to_UTF8(&text, string);
  const std::unique_ptr<unsigned char, decltype([](unsigned char* p) { OPENSSL_free(p); })> owner(
      text);
  if (size < 0) {
    ERR_clear_error();
    return bad("x509: invalid RDNSequence: the subject has a name that is no text");
  }
  std::string read(reinterpret_cast<const char*>(text), static_cast<size_t>(size));
  // It would end the name for some, and not for others.
  if (read.find('\0') != std::string::npos) {
    return bad("x509: invalid RDNSequence: the subject has a name with a zero byte");
  }
  return read;
}

Result<RequestedSubject> read_subject(const X509_REQ* request) {
  RequestedSubject subject;
  const X509_NAME* name = X509_REQ_get_subject_name(request);
  for (int i = 0; i < X509_NAME_entry_count(name); ++i) {
    const X509_NAME_ENTRY* entry = X509_NAME_get_entry(name, i);
    std::vector<std::string>* list = nullptr;
    std::string* single = nullptr;
    switch (OBJ_obj2nid(X509_NAME_ENTRY_get_object(entry))) {
      case NID_commonName:
        single = &subject.common_name;
        break;
      case NID_serialNumber:
        single = &subject.serial_number;
        break;
      case NID_countryName:
        list = &subject.countries;
        break;
      case NID_organizationName:
        list = &subject.organizations;
        break;
      case NID_organizationalUnitName:
        list = &subject.organizational_units;
        break;
      case NID_localityName:
        list = &subject.localities;
        break;
      case NID_stateOrProvinceName:
        list = &subject.provinces;
        break;
      case NID_streetAddress:
        list = &subject.street_addresses;
        break;
      case NID_postalCode:
        list = &subject.postal_codes;
        break;
      default:
        continue;
    }
    std::string text = TRY(text_of(X509_NAME_ENTRY_get_data(entry)));
    if (list != nullptr) list->push_back(std::move(text));
    if (single != nullptr) *single = std::move(text);
  }
  return subject;
}

// ASCII without zero bytes, which is all that names in certificates may have.
Result<std::string> plain_text(const ASN1_STRING* string, std::string_view what) {
  std::string text(reinterpret_cast<const char*>(ASN1_STRING_get0_data(string)),
                   static_cast<size_t>(ASN1_STRING_length(string)));
  const bool plain = std::ranges::all_of(text, [](unsigned char c) { return c > 0 && c < 0x80; });
  if (!plain) return bad("x509: SAN " + std::string(what) + " is malformed");
  return text;
}

Result<void> add_name(const GENERAL_NAME* name, RequestedNames& names) {
  int type = 0;
  const auto* value = static_cast<const ASN1_STRING*>(GENERAL_NAME_get0_value(name, &type));
  switch (type) {
    case GEN_DNS:
      names.dns_names.push_back(TRY(plain_text(value, "dNSName")));
      break;
    case GEN_EMAIL:
      names.email_addresses.push_back(TRY(plain_text(value, "rfc822Name")));
      break;
    case GEN_URI:
      names.uris.push_back(TRY(plain_text(value, "uniformResourceIdentifier")));
      break;
    case GEN_IPADD: {
      const auto size = static_cast<size_t>(ASN1_STRING_length(value));
      if (size != 4 && size != 16) {
        return bad("x509: cannot parse IP address of length " + std::to_string(size));
      }
      names.ip_addresses.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(value)),
                                      size);
      break;
    }
    default:
      break;
  }
  return {};
}

Result<RequestedNames> read_names(X509_REQ* request) {
  RequestedNames names;
  const ExtensionsPointer extensions(X509_REQ_get_extensions(request));
  ERR_clear_error();
  if (extensions == nullptr) return names;
  int critical = 0;  // or why there is none
  const NamesPointer found(static_cast<GENERAL_NAMES*>(
      X509V3_get_d2i(extensions.get(), NID_subject_alt_name, &critical, nullptr)));
  ERR_clear_error();
  if (found == nullptr) {
    if (critical == -1) return names;
    if (critical == -2) {
      return bad("x509: certificate request contains duplicate requested extensions");
    }
    return bad("x509: invalid subject alternative names");
  }
  for (int i = 0; i < sk_GENERAL_NAME_num(found.get()); ++i) {
    TRY(add_name(sk_GENERAL_NAME_value(found.get(), i), names));
  }
  return names;
}

bool is_usable_curve(EVP_PKEY* key) {
  char curve[64] = "";
  size_t size = 0;
  // Fails for curves that the request brings along.
  if (EVP_PKEY_get_group_name(key, curve, sizeof curve, &size) != 1) return false;
  const std::string_view name(curve, size);
  return name == "prime256v1" || name == "secp224r1" || name == "secp384r1" || name == "secp521r1";
}

// What a signature by such a key that does not hold is called; empty for keys that are not used.
std::string_view failure_of(EVP_PKEY* key) {
  switch (EVP_PKEY_get_base_id(key)) {
    case EVP_PKEY_RSA: {
      const int bits = EVP_PKEY_get_bits(key);
      return bits >= kLeastRsaBits && bits <= kMostRsaBits ? "crypto/rsa: verification error" : "";
    }
    case EVP_PKEY_EC:
      return is_usable_curve(key) ? "x509: ECDSA verification failure" : "";
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

}  // namespace certificate_request

void CertificateRequest::Free::operator()(X509_req_st* request) const { X509_REQ_free(request); }

Result<CertificateRequest> CertificateRequest::parse(std::string_view pem) {
  using namespace certificate_request;
  const auto block = kinds::next_pem_block(pem);
  if (!block || block->type != "CERTIFICATE REQUEST") {
    return bad("PEM block type must be CERTIFICATE REQUEST");
  }
  const auto* at = reinterpret_cast<const unsigned char*>(block->bytes.data());
  const unsigned char* end = at + block->bytes.size();
  Pointer read(d2i_X509_REQ(nullptr, &at, static_cast<long>(block->bytes.size())));
  if (read == nullptr) return bad("asn1: structure error: " + last_error());
  ERR_clear_error();
  if (at != end) return bad("asn1: syntax error: trailing data");
  CertificateRequest request(std::move(read));
  request.subject_ = TRY(read_subject(request.raw()));
  request.names_ = TRY(read_names(request.raw()));
  return request;
}

Result<void> CertificateRequest::check_signature() const {
  using namespace certificate_request;
  EVP_PKEY* key = X509_REQ_get0_pubkey(raw());
  ERR_clear_error();
  if (key == nullptr) return bad("x509: unsupported public key");
  const std::string_view failure = failure_of(key);
  if (failure.empty()) {
    return bad("x509: cannot verify signature: algorithm unimplemented");
  }
  const int signature = X509_REQ_get_signature_nid(raw());
  if (is_broken_digest(signature)) {
    return bad("x509: cannot verify signature: insecure algorithm " +
               std::string(OBJ_nid2sn(signature)));
  }
  const bool good = X509_REQ_verify(raw(), key) == 1;
  ERR_clear_error();
  if (!good) return bad(std::string(failure));
  return {};
}

}  // namespace proa::client

#include "kubelet/node/certificates/certificate_request_text.h"

#include <openssl/ec.h>

#include <algorithm>
#include <ctime>

#include "http/net/openssl.h"

namespace proa::kubelet {
namespace certificate_request_text {

using http::openssl::BioPointer;
using http::openssl::CertificatePointer;
using http::openssl::Freed;
using http::openssl::KeyPointer;
using RequestPointer = std::unique_ptr<X509_REQ, Freed<X509_REQ_free>>;

Status failure(std::string_view what) {
  return {Reason::kInvalid, std::string(what) + ": " + http::openssl::last_error()};
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<size_t>(size)};
}

bool add_part(X509_NAME* name, const char* field, const std::string& value) {
  return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(value.data()),
                                    static_cast<int>(value.size()), -1, 0) == 1;
}

// In OpenSSL's extension language, where commas would start another name.
Result<std::string> alternative_names(const CertificateIdentity& identity) {
  std::string names;
  const auto add = [&](std::string_view kind, const std::string& name) {
    if (name.empty() || name.find_first_of(",\n\r=") != std::string::npos) return false;
    if (!names.empty()) names += ',';
    names += std::string(kind) + ":" + name;
    return true;
  };
  bool good = true;
  for (const std::string& name : identity.dns_names) good = good && add("DNS", name);
  for (const std::string& name : identity.ip_addresses) good = good && add("IP", name);
  if (!good) return Status(Reason::kInvalid, "a name that no certificate can have");
  return names;
}

Result<void> add_names(X509_REQ* request, const std::string& names) {
  if (names.empty()) return {};
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, nullptr, nullptr, request, nullptr, 0);
  X509_EXTENSION* extension =
      X509V3_EXT_conf_nid(nullptr, &context, NID_subject_alt_name, names.c_str());
  if (extension == nullptr) return failure("names of a certificate request");
  STACK_OF(X509_EXTENSION)* extensions = sk_X509_EXTENSION_new_null();
  sk_X509_EXTENSION_push(extensions, extension);
  const bool added = X509_REQ_add_extensions(request, extensions) == 1;
  sk_X509_EXTENSION_pop_free(extensions, X509_EXTENSION_free);
  if (!added) return failure("names of a certificate request");
  return {};
}

CertificatePointer parse(std::string_view pem) {
  const BioPointer bio = http::openssl::reading(pem);
  CertificatePointer found(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  return found;
}

Time time_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return {};
  return Time(std::chrono::seconds(::timegm(&parts)));
}

std::vector<std::string> parts_of(X509_NAME* name, int field) {
  std::vector<std::string> found;
  int at = -1;
  while ((at = X509_NAME_get_index_by_NID(name, field, at)) >= 0) {
    unsigned char* text = nullptr;
    const int size =
        ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at)));
    if (size >= 0) found.emplace_back(reinterpret_cast<const char*>(text), size);
    OPENSSL_free(text);
  }
  return found;
}

std::string last_part(X509_NAME* name, int field) {
  const std::vector<std::string> parts = parts_of(name, field);
  return parts.empty() ? std::string() : parts.back();
}

}  // namespace certificate_request_text

CertificateIdentity CertificateIdentity::of_node(const std::string& node_name) {
  return {.common_name = "system:node:" + node_name, .organizations = {"system:nodes"}};
}

Result<std::string> make_private_key() {
  const http::openssl::KeyPointer key(EVP_EC_gen("P-256"));
  const http::openssl::BioPointer text(BIO_new(BIO_s_mem()));
  const bool written = key != nullptr && PEM_write_bio_PrivateKey(text.get(), key.get(), nullptr,
                                                                  nullptr, 0, nullptr, nullptr);
  if (!written) return certificate_request_text::failure("making a key");
  return certificate_request_text::text_of(text.get());
}

Result<std::string> make_certificate_request(const std::string& private_key_pem,
                                             const CertificateIdentity& identity) {
  namespace of = certificate_request_text;
  const of::BioPointer key_text = http::openssl::reading(private_key_pem);
  const of::KeyPointer key(PEM_read_bio_PrivateKey(key_text.get(), nullptr, nullptr, nullptr));
  if (key == nullptr) return of::failure("reading a key");
  const of::RequestPointer request(X509_REQ_new());
  X509_NAME* subject = X509_REQ_get_subject_name(request.get());
  for (const std::string& organization : identity.organizations) {
    if (!of::add_part(subject, "O", organization)) return of::failure("organization");
  }
  if (!of::add_part(subject, "CN", identity.common_name)) return of::failure("common name");
  const std::string names = TRY(of::alternative_names(identity));
  TRY(of::add_names(request.get(), names));
  const of::BioPointer text(BIO_new(BIO_s_mem()));
  const bool made = X509_REQ_set_pubkey(request.get(), key.get()) == 1 &&
                    X509_REQ_sign(request.get(), key.get(), EVP_sha256()) > 0 &&
                    PEM_write_bio_X509_REQ(text.get(), request.get()) == 1;
  if (!made) return of::failure("making a certificate request");
  return of::text_of(text.get());
}

Result<CertificateFacts> read_certificate(std::string_view pem) {
  namespace of = certificate_request_text;
  const of::CertificatePointer certificate = of::parse(pem);
  if (certificate == nullptr) return Status(Reason::kInvalid, "there is no certificate");
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  return CertificateFacts{
      .not_before = of::time_of(X509_get0_notBefore(certificate.get())),
      .not_after = of::time_of(X509_get0_notAfter(certificate.get())),
      .common_name = of::last_part(subject, NID_commonName),
      .issuer_name = of::last_part(X509_get_issuer_name(certificate.get()), NID_commonName),
      .organizations = of::parts_of(subject, NID_organizationName)};
}

bool speaks_for(std::string_view pem, const CertificateIdentity& identity) {
  namespace of = certificate_request_text;
  const of::CertificatePointer certificate = of::parse(pem);
  if (certificate == nullptr) return false;
  const auto has_name = [&](const std::string& name) {
    return X509_check_host(certificate.get(), name.data(), name.size(),
                           X509_CHECK_FLAG_NO_WILDCARDS, nullptr) == 1;
  };
  const auto has_address = [&](const std::string& address) {
    return X509_check_ip_asc(certificate.get(), address.c_str(), 0) == 1;
  };
  return std::all_of(identity.dns_names.begin(), identity.dns_names.end(), has_name) &&
         std::all_of(identity.ip_addresses.begin(), identity.ip_addresses.end(), has_address);
}

}  // namespace proa::kubelet

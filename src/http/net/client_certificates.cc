#include "http/net/client_certificates.h"

#include "http/net/openssl.h"

namespace proa::http {
namespace client_certificates {

using openssl::CertificatePointer;
using StorePointer = std::unique_ptr<X509_STORE, openssl::Freed<X509_STORE_free>>;
using ContextPointer = std::unique_ptr<X509_STORE_CTX, openssl::Freed<X509_STORE_CTX_free>>;

void free_chain(STACK_OF(X509) * chain) { sk_X509_pop_free(chain, X509_free); }
using ChainPointer = std::unique_ptr<STACK_OF(X509), openssl::Freed<free_chain>>;

Status refused(std::string_view why) { return {Reason::kUnauthorized, std::string(why)}; }

CertificatePointer read_der(const std::string& der) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
  return CertificatePointer(d2i_X509(nullptr, &bytes, static_cast<long>(der.size())));
}

std::string text_of(X509_NAME_ENTRY* entry) {
  unsigned char* text = nullptr;
  const int size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry));
  std::string result;
  if (size >= 0) result.assign(reinterpret_cast<const char*>(text), static_cast<size_t>(size));
  OPENSSL_free(text);
  return result;
}

CertificateSubject subject_of(X509* certificate) {
  CertificateSubject subject;
  X509_NAME* name = X509_get_subject_name(certificate);
  for (int i = 0; i < X509_NAME_entry_count(name); ++i) {
    X509_NAME_ENTRY* entry = X509_NAME_get_entry(name, i);
    const int id = OBJ_obj2nid(X509_NAME_ENTRY_get_object(entry));
    if (id == NID_commonName) subject.common_name = text_of(entry);
    if (id == NID_organizationName) subject.organizations.push_back(text_of(entry));
  }
  return subject;
}

}  // namespace client_certificates

struct ClientCertificates::Roots {
  client_certificates::StorePointer store;
};

ClientCertificates::ClientCertificates(std::unique_ptr<Roots> roots) : roots_(std::move(roots)) {}
ClientCertificates::~ClientCertificates() = default;

Result<std::unique_ptr<const ClientCertificates>> ClientCertificates::trust(
    const std::string& authorities_pem) {
  auto roots = std::make_unique<Roots>();
  roots->store.reset(X509_STORE_new());
  const openssl::BioPointer text = openssl::reading(authorities_pem);
  int count = 0;
  while (true) {
    const openssl::CertificatePointer one(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr));
    if (one == nullptr) break;
    X509_STORE_add_cert(roots->store.get(), one.get());
    ++count;
  }
  ERR_clear_error();
  if (count == 0) return Status(Reason::kInvalid, "there is no certificate of an authority");
  return std::unique_ptr<const ClientCertificates>(new ClientCertificates(std::move(roots)));
}

Result<CertificateSubject> ClientCertificates::verify(const PeerCertificates& shown,
                                                      Time now) const {
  using namespace client_certificates;
  const CertificatePointer certificate = read_der(shown.chain_der.at(0));
  if (certificate == nullptr) return refused("the certificate can't be read");
  const ChainPointer between(sk_X509_new_null());
  for (size_t i = 1; i < shown.chain_der.size(); ++i) {
    CertificatePointer one = read_der(shown.chain_der[i]);
    if (one != nullptr) sk_X509_push(between.get(), one.release());
  }
  const ContextPointer context(X509_STORE_CTX_new());
  if (X509_STORE_CTX_init(context.get(), roots_->store.get(), certificate.get(), between.get()) !=
      1) {
    return refused(openssl::last_error());
  }
  X509_VERIFY_PARAM* rules = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_purpose(rules, X509_PURPOSE_SSL_CLIENT);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  X509_VERIFY_PARAM_set_time(rules, static_cast<time_t>(seconds));
  if (X509_verify_cert(context.get()) != 1) {
    const int error = X509_STORE_CTX_get_error(context.get());
    ERR_clear_error();
    return refused(X509_verify_cert_error_string(error));
  }
  return subject_of(certificate.get());
}

}  // namespace proa::http

#include "crypto/client_verifier.h"

#include "base/check.h"
#include "crypto/internal/openssl.h"

namespace proa::crypto {
namespace client_verifier {

using StorePointer = std::unique_ptr<X509_STORE, openssl::Freed<X509_STORE_free>>;
using ContextPointer = std::unique_ptr<X509_STORE_CTX, openssl::Freed<X509_STORE_CTX_free>>;

void free_chain(STACK_OF(X509) * chain) { sk_X509_pop_free(chain, X509_free); }
using ChainPointer = std::unique_ptr<STACK_OF(X509), openssl::Freed<free_chain>>;

Status refused(std::string_view why) { return {Reason::kUnauthorized, std::string(why)}; }

}  // namespace client_verifier

struct ClientVerifier::Roots {
  client_verifier::StorePointer store;
};

ClientVerifier::ClientVerifier(std::unique_ptr<Roots> roots) : roots_(std::move(roots)) {}
ClientVerifier::~ClientVerifier() = default;

Result<std::unique_ptr<const ClientVerifier>> ClientVerifier::trust(
    std::string_view authorities_pem) {
  auto roots = std::make_unique<Roots>();
  roots->store.reset(X509_STORE_new());
  CHECK(roots->store != nullptr);
  const std::vector<Certificate> authorities = Certificate::parse_all(authorities_pem);
  if (authorities.empty()) {
    return Status(Reason::kInvalid, "no CA certificate found");
  }
  for (const Certificate& one : authorities) X509_STORE_add_cert(roots->store.get(), one.raw());
  ERR_clear_error();
  return std::unique_ptr<const ClientVerifier>(new ClientVerifier(std::move(roots)));
}

Result<Certificate> ClientVerifier::verify(std::span<const std::string> chain_der, Time now) const {
  using namespace client_verifier;
  CHECK(!chain_der.empty());
  const Result<Certificate> certificate = Certificate::parse_der(chain_der.front());
  if (!certificate) return refused("the certificate cannot be read");
  const ChainPointer intermediates(sk_X509_new_null());
  for (const std::string& der : chain_der.subspan(1)) {
    const Result<Certificate> one = Certificate::parse_der(der);
    if (!one) continue;
    X509_up_ref(one->raw());
    sk_X509_push(intermediates.get(), one->raw());
  }
  const ContextPointer context(X509_STORE_CTX_new());
  if (X509_STORE_CTX_init(context.get(), roots_->store.get(), certificate->raw(),
                          intermediates.get()) != 1) {
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
  return *certificate;
}

}  // namespace proa::crypto

#include "apiserver/streaming/aggregation/extension_clients.h"

#include <set>
#include <utility>

#include "apiserver/streaming/origins.h"
#include "base/log.h"

namespace proa::apiserver {
namespace extension_clients {

const Log kLog{"aggregation"};

std::string trust_of(const ExtensionApi& api) {
  return api.skips_verification ? "any" : "ca " + api.authority_pem;
}

}  // namespace extension_clients

Result<std::unique_ptr<ExtensionClients>> ExtensionClients::make(Context context,
                                                                 const crypto::CertifiedKey& pair) {
  std::unique_ptr<ExtensionClients> made(new ExtensionClients(std::move(context), {}));
  TRY(made->set_certificate(pair));
  return made;
}

Result<http::ClientTls> ExtensionClients::tls_for(const std::string& authority_pem,
                                                  bool skips_verification) const {
  http::TlsOptions options;
  options.certificate_pem = pair_.certificate_pem;
  options.private_key_pem = pair_.private_key_pem;
  options.roots_pem = authority_pem;
  options.insecure_skip_verify = skips_verification;
  return http::ClientTls(TRY(http::TlsContext::client(options)));
}

bool ExtensionClients::is_own(const std::vector<std::string>& chain_der) const {
  if (chain_der.empty()) return false;
  MutexLock lock(mutex_);
  return chain_der.front() == own_der_ || chain_der.front() == former_der_;
}

Result<std::shared_ptr<http::Client>> ExtensionClients::client_for(const ExtensionApi& api) {
  MutexLock lock(mutex_);
  const std::string trust = extension_clients::trust_of(api);
  const auto found = entries_.find(trust);
  if (found != entries_.end()) return found->second.client;
  http::ClientOptions options;
  options.pool.tls = TRY(tls_for(api.authority_pem, api.skips_verification));
  options.pool.count = context_.count;
  options.pool.dial = context_.dial;
  options.pool.check_address = check_external_name;
  options.pool.idle_per_origin = 4;
  options.body_limit = kBodyLimit;
  auto client = std::make_shared<http::Client>(context_.loops, context_.clock, options);
  entries_.emplace(trust, Entry{.client = client,
                                .authority_pem = api.authority_pem,
                                .skips_verification = api.skips_verification});
  return client;
}

Result<void> ExtensionClients::set_certificate(const crypto::CertifiedKey& pair) {
  MutexLock lock(mutex_);
  const crypto::CertifiedKey before = pair_;
  pair_ = pair;
  const auto checked = tls_for({}, true);
  if (!checked) {
    pair_ = before;
    return checked.status();
  }
  // Without a certificate there is nothing to compare.
  const auto certificate = crypto::Certificate::parse(pair.certificate_pem);
  std::string der = certificate ? certificate->der() : std::string();
  if (der != own_der_) former_der_ = std::exchange(own_der_, std::move(der));
  for (auto& [trust, entry] : entries_) {
    const auto tls = tls_for(entry.authority_pem, entry.skips_verification);
    if (tls) {
      entry.client->set_tls(*tls);
    } else {
      extension_clients::kLog.error("using the renewed certificate failed",
                                    {{"error", tls.status()}});
    }
  }
  return {};
}

void ExtensionClients::drop_unused(const std::vector<ExtensionApiPtr>& apis) {
  std::set<std::string> used;
  for (const ExtensionApiPtr& api : apis) used.insert(extension_clients::trust_of(*api));
  std::vector<std::shared_ptr<http::Client>> dropped;  // closed without the lock
  MutexLock lock(mutex_);
  for (auto at = entries_.begin(); at != entries_.end();) {
    Entry& entry = at->second;
    const bool was_unused = std::exchange(entry.unused, !used.contains(at->first));
    // Whoever got a reference from here may be about to start a call: a loop's thread must not be
    // the last one to drop it.
    if (entry.unused && was_unused && entry.client.use_count() == 1) {
      dropped.push_back(std::move(entry.client));
      at = entries_.erase(at);
    } else {
      ++at;
    }
  }
}

}  // namespace proa::apiserver

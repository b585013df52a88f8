#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/objects/catalogue/extension_apis.h"
#include "base/clock.h"
#include "base/threads/mutex.h"
#include "crypto/certificate.h"
#include "http/client/client.h"

namespace proa::apiserver {

// HTTP clients for extension API servers: one for each set of trusted CAs, all with the front
// proxy's certificate. Thread-safe.
class ExtensionClients {
 public:
  // All outlive it.
  struct Context {
    http::LoopGroup& loops;
    Clock& clock;
    http::Dial dial = nullptr;  // of pods
    std::shared_ptr<http::ConnectionCount> count = nullptr;
  };
  // What a response that is read as a whole may have.
  static constexpr size_t kBodyLimit = size_t{16} * 1024 * 1024;

  // kInvalid if the certificate and the key cannot be used; empty ones: none is shown.
  static Result<std::unique_ptr<ExtensionClients>> make(Context context,
                                                        const crypto::CertifiedKey& pair);

  // Fails if the CA bundle cannot be read. Callers drop the reference soon; see drop_unused().
  Result<std::shared_ptr<http::Client>> client_for(const ExtensionApi& api) EXCLUDES(mutex_);
  // Whether a client showed the front proxy's certificate that this server itself shows: a request
  // of it came from here, so that passing it on would go on without end.
  bool is_own(const std::vector<std::string>& chain_der) const EXCLUDES(mutex_);
  // For new connections.
  Result<void> set_certificate(const crypto::CertifiedKey& pair) EXCLUDES(mutex_);
  // Closes clients that none of `apis` has used since the call before: changes of a CA bundle do
  // not cut requests that are just running. Not on a loop's thread.
  void drop_unused(const std::vector<ExtensionApiPtr>& apis) EXCLUDES(mutex_);

 private:
  struct Entry {
    std::shared_ptr<http::Client> client;
    std::string authority_pem;
    bool skips_verification = false;
    bool unused = false;  // at the last look
  };
  ExtensionClients(Context context, crypto::CertifiedKey pair)
      : context_(std::move(context)), pair_(std::move(pair)) {}
  Result<http::ClientTls> tls_for(const std::string& authority_pem, bool skips_verification) const
      REQUIRES(mutex_);

  const Context context_;
  mutable Mutex mutex_;
  crypto::CertifiedKey pair_ GUARDED_BY(mutex_);
  // The certificate and the one before, which old connections have.
  std::string own_der_ GUARDED_BY(mutex_);
  std::string former_der_ GUARDED_BY(mutex_);
  std::map<std::string, Entry, std::less<>> entries_ GUARDED_BY(mutex_);  // by what they trust
};

}  // namespace proa::apiserver

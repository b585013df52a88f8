#pragma once

#include <memory>
#include <stop_token>
#include <string_view>

#include "apiserver/objects/catalogue/extension_apis.h"
#include "apiserver/streaming/aggregation/extension_documents.h"
#include "apiserver/streaming/aggregation/extension_proxy.h"
#include "apiserver/streaming/aggregation/extension_servers.h"
#include "http/wire/url.h"

namespace proa::apiserver {

// API aggregation: group versions that other servers answer for, with this server as their front
// proxy. Thread-safe.
class Aggregation {
 public:
  // All outlive it.
  struct Context {
    http::LoopGroup& loops;
    Clock& clock;
    Random& random;
    store::Store& store;
    const api::Schema& schema;
    PodEgress egress = PodEgress::kDirect;
    http::Dial dial = nullptr;  // of pods
  };
  // `proxy_client`: shown to extension servers; empty: nothing is.
  static Result<std::unique_ptr<Aggregation>> make(const Context& context,
                                                   const crypto::CertifiedKey& proxy_client);
  ~Aggregation();

  // Whose request it is: those of /apis/GROUP/VERSION, and of their OpenAPI v3 documents. Null:
  // this server's own.
  ExtensionApiPtr find(const http::Target& target);
  // See forward_to_extension().
  void forward(const ExtensionRequest& request, const ExtensionApi& api) {
    forward_to_extension(request, api, servers_);
  }
  ExtensionDocumentsPtr documents() { return keeper_.current(); }

  // Whether the server of that APIService answers; the message is for its condition. kNotFound if
  // there is no such APIService. Not on a loop's thread.
  Result<void> probe(std::string_view name);
  // The body of a success; failures are what the server's Status says. kNotFound, too, if there is
  // no such APIService. Not on a loop's thread.
  Result<std::string> call(std::string_view name, const ExtensionQuestion& question);
  // For new connections.
  Result<void> set_certificate(const crypto::CertifiedKey& pair) {
    return clients_->set_certificate(pair);
  }
  // Cancels what waits for extension servers.
  void stop();

 private:
  Aggregation(const Context& context, std::unique_ptr<ExtensionClients> clients);

  const std::unique_ptr<ExtensionClients> clients_;
  const ExtensionServers servers_;
  std::stop_source stop_;
  WakeSignal changed_;
  ExtensionApis apis_;
  ExtensionDocumentKeeper keeper_;
};

}  // namespace proa::apiserver

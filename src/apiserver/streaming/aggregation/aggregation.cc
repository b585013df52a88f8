#include "apiserver/streaming/aggregation/aggregation.h"

#include <algorithm>

#include "base/process/capacity.h"
#include "client/status_json.h"
#include "http/server/limits.h"

namespace proa::apiserver {
namespace aggregation {

// A part of what there is: the rest is for kubelets and pods.
std::shared_ptr<http::ConnectionCount> count_part() {
  const size_t most = std::max<size_t>(1, http::outgoing_connections_for(process_capacity()) / 4);
  return std::make_shared<http::ConnectionCount>(most, most);
}

}  // namespace aggregation

Result<std::unique_ptr<Aggregation>> Aggregation::make(const Context& context,
                                                       const crypto::CertifiedKey& proxy_client) {
  auto clients = TRY(ExtensionClients::make({.loops = context.loops,
                                             .clock = context.clock,
                                             .dial = context.dial,
                                             .count = aggregation::count_part()},
                                            proxy_client));
  return std::unique_ptr<Aggregation>(new Aggregation(context, std::move(clients)));
}

Aggregation::Aggregation(const Context& context, std::unique_ptr<ExtensionClients> clients)
    : clients_(std::move(clients)),
      servers_({.clients = *clients_,
                .objects = ObjectReader(context.store, context.schema),
                .egress = context.egress,
                .random = context.random,
                .clock = context.clock}),
      apis_(context.store, context.schema, [this] { changed_.wake(); }),
      keeper_({.apis = apis_,
               .servers = servers_,
               .clients = *clients_,
               .schema = context.schema,
               .clock = context.clock,
               .changed = changed_}) {}

Aggregation::~Aggregation() { stop(); }

void Aggregation::stop() {
  stop_.request_stop();
  keeper_.stop();
}

ExtensionApiPtr Aggregation::find(const http::Target& target) {
  const auto& path = target.segments;
  const auto is = [&](size_t at, std::string_view text) {
    return path.size() > at && path[at] == text;
  };
  if (is(0, "apis")) return path.size() < 3 ? nullptr : apis_.find(path[1], path[2]);
  if (!is(0, "openapi") || !is(1, "v3") || !is(2, "apis") || path.size() != 5) return nullptr;
  const ExtensionApiPtr found = apis_.find(path[3], path[4]);
  if (found == nullptr) return nullptr;
  const std::string name = found->path().substr(1);
  const ExtensionDocumentsPtr known = documents();
  const auto entry =
      std::ranges::find(known->openapi, name, &ExtensionDocuments::OpenApiEntry::name);
  return entry == known->openapi.end() ? nullptr : found;
}

Result<void> Aggregation::probe(std::string_view name) {
  const ExtensionApiPtr api = apis_.find(name);
  if (api == nullptr) return Status(Reason::kNotFound, "not served by another server");
  return servers_.probe(*api, stop_.get_token());
}

Result<std::string> Aggregation::call(std::string_view name, const ExtensionQuestion& question) {
  const ExtensionApiPtr api = apis_.find(name);
  if (api == nullptr) return Status(Reason::kNotFound, "not served by another server");
  const http::Response response = TRY(servers_.ask(*api, question, stop_.get_token()));
  if (response.status >= 200 && response.status < 300) return std::string(response.body.view());
  return client::status_from_answer(response.status, response.body.view(),
                                    response.headers.get("retry-after"));
}

}  // namespace proa::apiserver

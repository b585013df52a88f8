#include "kubelet/assembly/node_endpoint.h"

#include "base/process/capacity.h"
#include "kubelet/node/server/log_files.h"

namespace proa::kubelet {
namespace node_endpoint {

// Of 8 parts of what the process may use: most belongs to pods, or to an API server in this
// process.
constexpr size_t kShare = 1;

}  // namespace node_endpoint

Result<void> NodeEndpoint::listen() {
  const KubeletContext& context = core_.context;
  if (context.tls == nullptr) return {};
  handler_ = TRY(NodeServer::make(
      {.client = context.client,
       .schema = context.schema,
       .clock = context.clock,
       .random = context.random,
       .runtime = *core_.runtime,
       .http = context.http,
       .pods = pods_,
       .options = context.options,
       .open_log = open_log_files(context.clock, context.files, *core_.runtime, core_.paths),
       .client_authority_pem = context.client_authority_pem,
       .shutdown = core_.shutdown.get_token()}));
  server_ = std::make_unique<http::Server>(
      context.loops, *handler_, http::limits_for(process_capacity(), node_endpoint::kShare));
  const Result<http::Endpoint> where = server_->listen({.address = context.options.listen,
                                                        .port = context.options.port,
                                                        .unix_path = {},
                                                        .both_families = true},
                                                       context.tls);
  if (!where.ok()) {
    return Status(
        where.status().reason(),
        where.status().message() + (where.is(Reason::kAlreadyExists)
                                        ? "; stop the other process or change --kubelet-port"
                                        : "; change --kubelet-port"));
  }
  return {};
}

void NodeEndpoint::stop() {
  server_.reset();
  handler_.reset();
}

}  // namespace proa::kubelet

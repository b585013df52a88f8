#include "cli/node/server_node.h"

#include <algorithm>

#include "api/schema/builtin.h"
#include "cli/credentials/certificates.h"
#include "client/bounded_client.h"
#include "controllers/network/dns_service.h"
#include "json/parse.h"

namespace proa::cli {
namespace server_node {

// Of a node alone.
constexpr std::string_view kUsualRange = "10.244.0.0/24";

apiserver::User identity_of(api::NodeNameView node) {
  return {.name = "system:node:" + node.str(),
          .uid = {},
          .groups = {"system:nodes", "system:authenticated"},
          .extra = {}};
}

}  // namespace server_node

Result<std::unique_ptr<ServerNode>> ServerNode::make(const Settings& settings, Files& files,
                                                     Clock& clock, bool ranges_given) {
  NodeSettings wanted = TRY(read_node_settings(settings));
  if (wanted.kubelet.pod_cidrs.empty() && !ranges_given) {
    wanted.kubelet.pod_cidrs.emplace_back(server_node::kUsualRange);
  }
  if (wanted.dns) {
    for (const std::string& address :
         controllers::dns_addresses(settings.text("service-cluster-ip-range"))) {
      wanted.dns_addresses.push_back(parse_ip(address).value());
    }
  }
  return std::unique_ptr<ServerNode>(new ServerNode(files, clock, std::move(wanted)));
}

std::vector<std::string> ServerNode::names() const {
  std::vector<std::string> names = settings_.kubelet.addresses;
  names.push_back(name().str());
  for (const char* own : {"localhost", "127.0.0.1"}) {
    if (std::find(names.begin(), names.end(), own) == names.end()) names.emplace_back(own);
  }
  return names;
}

Result<std::optional<std::string_view>> ServerNode::start(apiserver::ApiServer& api,
                                                          http::LoopGroup& loops, Random& random,
                                                          const std::string& authority_pem,
                                                          StopSignals& signals,
                                                          Terminal& terminal) {
  const std::string directory = settings_.place.data_dir + "/tls";
  TRY(ensure_node_certificate(files_, clock_, directory, name(), names()));
  tls_ = TRY(http::CertificateFiles::open(
      loops.at(0), files_, {directory + "/kubelet.crt", directory + "/kubelet.key"},
      http::TlsOptions{.request_client_certificate = true,
                       .client_authorities_pem = authority_pem}));
  client_ = api.client(server_node::identity_of(name()));
  node_ = std::make_unique<LocalNode>(LocalNode::Context{.files = files_,
                                                         .clock = clock_,
                                                         .random = random,
                                                         .loops = loops,
                                                         .client = *client_,
                                                         .tls = &tls_->source(),
                                                         .client_authority_pem = authority_pem,
                                                         .settings = settings_});
  TRY(node_->start(terminal));
  {
    MutexLock lock(mutex_);
    started_ = node_.get();
  }
  return node_->await_ready(signals, terminal);
}

Result<void> ServerNode::label_as_control_plane(client::Client& admin) const {
  const client::BoundedClient bounded(admin, clock_);
  TRY(bounded.patch({.resource = api::builtin_schema().find_resource("", "v1", "nodes"),
                     .name_space = "",
                     .name = name().str(),
                     .subresource = ""},
                    api::PatchType::kMerge,
                    json::parse_literal(
                        R"({"metadata":{"labels":{"node-role.kubernetes.io/control-plane":""}}})"),
                    {}));
  return {};
}

Result<void> ServerNode::health() const {
  MutexLock lock(mutex_);
  if (started_ != nullptr) return started_->health();
  return Status(Reason::kServiceUnavailable, "the node is starting or stopping");
}

void ServerNode::stop_pods(Duration most_grace, Terminal& terminal) {
  if (node_ != nullptr) node_->stop_pods(most_grace, terminal);
}

void ServerNode::stop() {
  {
    MutexLock lock(mutex_);
    started_ = nullptr;
  }
  // Destroyed before the loops it uses and the server it calls.
  node_.reset();
  client_.reset();
  tls_.reset();
}

}  // namespace proa::cli

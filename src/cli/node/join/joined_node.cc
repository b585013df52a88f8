#include "cli/node/join/joined_node.h"

#include "api/schema/builtin.h"
#include "base/log.h"
#include "cli/command_line/step.h"
#include "cli/node/join/node_kubeconfig.h"
#include "cli/node/join/shared_objects.h"
#include "cli/node/join/taken_name.h"
#include "cli/node/join/taken_range.h"
#include "crypto/certificate.h"

namespace proa::cli {
namespace joined_node {

const Log kLog{"cli"};

constexpr Duration kDiscoveryTimeout = std::chrono::seconds(30);
// Controllers approve requests with a valid token immediately.
constexpr Duration kSigningTimeout = std::chrono::minutes(2);
constexpr size_t kMaxAuthority = 64 * 1024;

// The identity of the kubelet's serving certificate, as upstream's kubelets request it.
crypto::CertificateIdentity server_identity(const kubelet::KubeletOptions& options) {
  crypto::CertificateIdentity identity = kubelet::node_identity(options.node_name);
  identity.dns_names = {options.node_name.str()};
  identity.ip_addresses = options.addresses;
  return identity;
}

// What a token that the server knows, or does not know, has to do with it.
Status with_token_hint(const Status& failure) {
  if (failure.is(Reason::kUnauthorized)) {
    return {failure.reason(),
            "the server does not accept the token: it is wrong, has expired or was deleted; create "
            "another one on the server with `proa token create`"};
  }
  if (failure.is(Reason::kForbidden)) {
    return {failure.reason(), failure.message() +
                                  "; if the token has other groups than the default ones, create "
                                  "another one on the server with `proa token create`"};
  }
  return failure;
}

}  // namespace joined_node

Status no_token() {
  return {Reason::kInvalid,
          "this machine has not joined a cluster yet; pass --token from `proa token create` on the "
          "server"};
}

std::string JoinedNode::authority_path() const {
  return context_.settings.kubelet.root + "/pki/authority.crt";
}

Result<std::optional<std::string_view>> JoinedNode::start(StopSignals& signals,
                                                          Terminal& terminal) {
  const kubelet::KubeletOptions& options = context_.settings.kubelet;
  TRY(context_.files.make_dirs(options.root + "/pki", 0700));
  const bool joined =
      kubelet::has_client_certificate(context_.files, context_.clock, options.node_name,
                                      kubelet::client_certificate_path(options.root));
  auto known = context_.files.read_file(authority_path(), joined_node::kMaxAuthority);
  if (joined && known.ok()) {
    authority_pem_ = std::move(*known);
    print_step(terminal, "certificate", "existing");
    TRY(connect_as_node());
  } else {
    TRY(join(terminal));
    TRY(connect_to_new_name());
  }
  TRY(write_node_kubeconfig(context_.files, context_.settings.place, context_.server,
                            options.node_name.str()));
  TRY(prepare_server());
  keep_certificates();
  shared_ = std::make_unique<client::SharedClient>(*client_, context_.clock, context_.random,
                                                   objects_to_share(api::builtin_schema()));
  shared_->start();
  node_ = std::make_unique<LocalNode>(LocalNode::Context{.files = context_.files,
                                                         .clock = context_.clock,
                                                         .random = context_.random,
                                                         .loops = context_.loops,
                                                         .client = *shared_,
                                                         .tls = &tls_->source(),
                                                         .client_authority_pem = authority_pem_,
                                                         .settings = context_.settings});
  TRY(node_->start(terminal));
  return node_->await_ready(signals, terminal);
}

Result<void> JoinedNode::join(Terminal& terminal) {
  if (context_.token.empty()) {
    return no_token();
  }
  const JoinToken token = TRY(parse_join_token(context_.token, context_.authority_hash));
  authority_pem_ = TRY(
      discover_authority(context_.server, token, context_.clock, joined_node::kDiscoveryTimeout));
  print_step(terminal, "server", context_.server + " matches the CA hash of the token");
  client::Connection connection;
  connection.server = context_.server;
  connection.authority_pem = authority_pem_;
  connection.token = token.bearer();
  const auto client = TRY(connect(std::move(connection)));
  const kubelet::KubeletOptions& options = context_.settings.kubelet;
  const kubelet::JoinContext joining{*client, api::builtin_schema(), context_.clock,
                                     context_.files};
  const auto signed_one = kubelet::ensure_client_certificate(
      joining, options.node_name, kubelet::client_certificate_path(options.root),
      Until::after(context_.clock, joined_node::kSigningTimeout));
  if (!signed_one) return joined_node::with_token_hint(signed_one.status());
  TRY(context_.files.write_file_atomic(authority_path(), authority_pem_, 0644));
  print_step(terminal, "certificate", "signed for system:node:" + options.node_name.str());
  return {};
}

Result<void> JoinedNode::connect_to_new_name() {
  TRY(connect_as_node());
  const kubelet::KubeletOptions& options = context_.settings.kubelet;
  const client::BoundedClient client(*client_, context_.clock);
  Result<void> free =
      refuse_taken_name(client, options.node_name, kubelet::read_machine(context_.files, ""));
  if (free.ok()) free = refuse_taken_range(client, options);
  if (free.ok()) return free;
  const Result<void> removed =
      context_.files.remove(kubelet::client_certificate_path(options.root));
  if (!removed.ok()) {
    joined_node::kLog.warn("removing the certificate failed", {{"error", removed.status()}});
  }
  return free;
}

Result<std::unique_ptr<client::RemoteClient>> JoinedNode::connect(client::Connection connection) {
  client::RemoteOptions options;
  options.connection = std::move(connection);
  // The manager of what it writes has the name of the program, as upstream.
  options.user_agent = "kubelet/proa-node";
  return client::RemoteClient::make(context_.loops, context_.clock, context_.files,
                                    std::move(options));
}

Result<void> JoinedNode::connect_as_node() {
  client::Connection connection;
  connection.server = context_.server;
  connection.authority_pem = authority_pem_;
  connection.certificate = TRY(kubelet::read_certified_key(
      context_.files, kubelet::client_certificate_path(context_.settings.kubelet.root)));
  client_ = TRY(connect(std::move(connection)));
  return {};
}

Result<void> JoinedNode::prepare_server() {
  const kubelet::KubeletOptions& options = context_.settings.kubelet;
  const std::string path = kubelet::serving_certificate_path(options.root);
  TRY(kubelet::ensure_serving_certificate(context_.files, context_.clock, options.node_name,
                                          joined_node::server_identity(options), path));
  tls_ =
      TRY(http::CertificateFiles::open(context_.loops.at(0), context_.files, {path, path},
                                       http::TlsOptions{.request_client_certificate = true,
                                                        .client_authorities_pem = authority_pem_}));
  return {};
}

void JoinedNode::keep_certificates() {
  const kubelet::KubeletOptions& options = context_.settings.kubelet;
  const auto keeper = [&](const std::string& path, kubelet::SigningWish wish,
                          std::function<void(const crypto::CertifiedKey&)> renewed) {
    auto made = std::make_unique<kubelet::CertificateKeeper>(
        kubelet::CertificateKeeper::Context{.client = *client_,
                                            .schema = api::builtin_schema(),
                                            .clock = context_.clock,
                                            .random = context_.random,
                                            .files = context_.files,
                                            .node_name = options.node_name,
                                            .path = path,
                                            .wish = std::move(wish),
                                            .renewed = std::move(renewed)});
    made->start();
    return made;
  };
  client_keeper_ = keeper(kubelet::client_certificate_path(options.root),
                          kubelet::SigningWish::for_client(options.node_name),
                          [this](const crypto::CertifiedKey& pair) {
                            const Result<void> changed = client_->set_certificate(pair);
                            if (changed.ok()) return;
                            joined_node::kLog.error("loading the renewed certificate failed",
                                                    {{"error", changed.status()}});
                          });
  const crypto::CertificateIdentity identity = joined_node::server_identity(options);
  // The server watches the file.
  server_keeper_ = keeper(kubelet::serving_certificate_path(options.root),
                          kubelet::SigningWish::for_server(options.node_name, identity.dns_names,
                                                           identity.ip_addresses),
                          nullptr);
}

void JoinedNode::stop_pods(Duration most_grace, Terminal& terminal) {
  if (node_ != nullptr) node_->stop_pods(most_grace, terminal);
}

void JoinedNode::stop() {
  if (node_ != nullptr) node_->stop();
  if (server_keeper_ != nullptr) server_keeper_->stop();
  if (client_keeper_ != nullptr) client_keeper_->stop();
  if (client_ != nullptr) client_->stop();
  // After the client, which ends the requests that its thread waits for: a server that is away
  // would hold it for as long as they may take.
  if (shared_ != nullptr) shared_->stop();
}

}  // namespace proa::cli

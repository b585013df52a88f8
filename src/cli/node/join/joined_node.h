#pragma once

#include <memory>
#include <string>

#include "cli/node/join/discovery.h"
#include "cli/node/local_node.h"
#include "client/remote/remote_client.h"
#include "client/shared/shared_client.h"
#include "http/server/certificate_files.h"
#include "kubelet/node/certificates/certificate_keeper.h"

namespace proa::cli {

// The failure of a node without a certificate and a token to get one with.
Status no_token();

// The local node in a cluster with a remote server. Joins once, with a token; afterwards it has its
// own certificates and renews them.
class JoinedNode {
 public:
  struct Context {
    Files& files;
    Clock& clock;
    Random& random;
    http::LoopGroup& loops;
    NodeSettings settings = {};
    std::string server = {};  // "https://10.0.0.1:6443"
    std::string token = {};   // only needed to join
    std::string authority_hash = {};
  };
  explicit JoinedNode(Context context) : context_(std::move(context)) {}
  ~JoinedNode() { stop(); }
  JoinedNode(const JoinedNode&) = delete;
  JoinedNode& operator=(const JoinedNode&) = delete;

  // Prints each step; see LocalNode::await_ready.
  Result<std::optional<std::string_view>> start(StopSignals& signals, Terminal& terminal);
  // See LocalNode::stop_pods. REQUIRES: stop() is next.
  void stop_pods(Duration most_grace, Terminal& terminal);
  void stop();

 private:
  // Path of the cluster's CA certificate, stored when joining.
  std::string authority_path() const;
  Result<void> join(Terminal& terminal);
  // With the certificate that was just signed: it goes again if the name is that of another
  // machine.
  Result<void> connect_to_new_name();
  Result<std::unique_ptr<client::RemoteClient>> connect(client::Connection connection);
  Result<void> connect_as_node();
  Result<void> prepare_server();
  void keep_certificates();

  const Context context_;
  std::string authority_pem_;
  std::unique_ptr<client::RemoteClient> client_;
  std::unique_ptr<http::CertificateFiles> tls_;
  std::unique_ptr<kubelet::CertificateKeeper> client_keeper_;
  std::unique_ptr<kubelet::CertificateKeeper> server_keeper_;
  std::unique_ptr<client::SharedClient> shared_;  // of the node's components
  std::unique_ptr<LocalNode> node_;
};

}  // namespace proa::cli

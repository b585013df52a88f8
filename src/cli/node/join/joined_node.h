#pragma once

#include <memory>
#include <string>

#include "cli/node/join/discovery.h"
#include "cli/node/local_node.h"
#include "client/remote/remote_client.h"
#include "http/server/certificate_files.h"
#include "kubelet/node/certificates/certificate_keeper.h"

namespace proa::cli {

// The node of this machine in a cluster whose server is elsewhere. It joins once, with a token;
// from then on it has certificates of its own, and keeps them in force.
class JoinedNode {
 public:
  struct Context {
    Files& files;
    Clock& clock;
    Random& random;
    http::LoopGroup& loops;
    NodeSettings settings = {};
    std::string server = {};  // "https://10.0.0.1:6443"
    std::string token = {};   // needed to join
    std::string authority_hash = {};
  };
  explicit JoinedNode(Context context) : context_(std::move(context)) {}
  ~JoinedNode() { stop(); }
  JoinedNode(const JoinedNode&) = delete;
  JoinedNode& operator=(const JoinedNode&) = delete;

  // A line for each step; as LocalNode::await_ready.
  Result<std::optional<std::string_view>> start(StopSignals& signals, Terminal& terminal);
  void stop();

 private:
  // Where the cluster's authority is kept, once it is known.
  std::string authority_path() const;
  Result<void> join(Terminal& terminal);
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
  std::unique_ptr<LocalNode> node_;
};

}  // namespace proa::cli

#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/files.h"
#include "client/bounded_client.h"
#include "client/remote/remote_client.h"
#include "http/net/loop.h"

namespace proa::cli {

// An API client with administrator rights, for one command: uses the admin.kubeconfig that the
// server wrote to its data directory, or a given kubeconfig.
class AdminClient {
 public:
  // kNotFound, with advice, if there is no such file.
  static Result<std::unique_ptr<AdminClient>> open(const std::string& data_dir);
  // With the kubeconfig of a node, which has the rights of a node only.
  static Result<std::unique_ptr<AdminClient>> open_node(const std::string& kubeconfig);
  // With an administrator's kubeconfig on the machine of a node, which may be another one than the
  // server's. A loopback address, as in the server's own admin.kubeconfig, stands for the server
  // that the node's kubeconfig names.
  static Result<std::unique_ptr<AdminClient>> open_beside_node(const std::string& path,
                                                               const std::string& node_kubeconfig);
  // Long-running commands use a longer timeout than interactive ones. `source`: what named the
  // path, for errors.
  static Result<std::unique_ptr<AdminClient>> open_kubeconfig(
      const std::string& path, Duration timeout, std::string_view source = "--kubeconfig");

  // The text at a path that is not a resource, whatever its status code.
  Result<std::string> text_at(const std::string& path);
  client::BoundedClient client() { return {*client_, clock_, {}, timeout_}; }
  const std::string& server() const { return server_; }
  const std::string& authority_pem() const { return authority_pem_; }
  // The namespace of the kubeconfig's context.
  const std::string& name_space() const { return name_space_; }
  // Ends the calls that are under way, and all later ones. From any thread.
  void stop() { client_->stop(); }
  // Adds advice to the error of a call if no server is running.
  Status explain(const Status& failure) const;

 private:
  AdminClient() = default;
  Result<void> connect(client::Connection connection, Duration timeout);

  SystemClock clock_;
  SystemFiles files_;
  std::string advice_;  // if no server is running
  std::string server_;
  std::string authority_pem_;
  std::string name_space_;
  http::LoopGroup loops_{1};
  Duration timeout_{};
  std::unique_ptr<client::RemoteClient> client_;
};

}  // namespace proa::cli

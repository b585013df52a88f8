#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/files.h"
#include "client/remote/remote_client.h"
#include "http/net/loop.h"

namespace proa::cli {

// The API of the server of a data directory, asked as its administrator: by the admin.kubeconfig
// that the server wrote there; or of another one, by a kubeconfig of one's own. For one command.
class AdminClient {
 public:
  // kNotFound, and what to do, where there is no such file.
  static Result<std::unique_ptr<AdminClient>> open(const std::string& data_dir);
  // Commands that run on wait longer for a server than those that somebody looks at.
  static Result<std::unique_ptr<AdminClient>> open_kubeconfig(const std::string& path,
                                                              Duration timeout);

  client::Client& client() { return *client_; }
  const std::string& server() const { return server_; }
  const std::string& authority_pem() const { return authority_pem_; }
  // Of the kubeconfig's context.
  const std::string& name_space() const { return name_space_; }
  // The failure of a call, with what to do where it is that no server runs.
  Status explain(const Status& failure) const;

 private:
  AdminClient() = default;
  Result<void> connect(client::Connection connection, Duration timeout);

  SystemClock clock_;
  SystemFiles files_;
  std::string data_dir_;  // empty: a kubeconfig of one's own
  std::string server_;
  std::string authority_pem_;
  std::string name_space_;
  http::LoopGroup loops_{1};
  std::unique_ptr<client::RemoteClient> client_;
};

}  // namespace proa::cli

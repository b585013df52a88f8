#include "cli/credentials/admin_client.h"

#include "cli/credentials/start_hint.h"
#include "http/client/request.h"
#include "http/wire/url.h"

namespace proa::cli {
namespace admin_client {

// A local server responds quickly or not at all.
constexpr Duration kRequestTimeout = std::chrono::seconds(10);

bool is_local(const std::string& server) {
  const auto url = http::parse_url(server);
  if (!url) return false;
  const std::string host = http::Origin::of(*url).host;
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

}  // namespace admin_client

Result<std::unique_ptr<AdminClient>> AdminClient::open(const std::string& data_dir) {
  std::unique_ptr<AdminClient> made(new AdminClient());
  const std::string path = data_dir + "/admin.kubeconfig";
  const auto connection = client::read_kubeconfig(made->files_, path);
  if (connection.is(Reason::kNotFound)) return no_admin_kubeconfig(made->files_, data_dir);
  if (!connection) return connection.status();
  made->advice_ = "start it with " + start_hint(made->files_, data_dir) + " (--data-dir " +
                  data_dir + "), or pass another --data-dir";
  TRY(made->connect(*connection, admin_client::kRequestTimeout));
  return made;
}

Result<std::unique_ptr<AdminClient>> AdminClient::open_node(const std::string& kubeconfig) {
  std::unique_ptr<AdminClient> made(new AdminClient());
  const client::Connection connection = TRY(client::read_kubeconfig(made->files_, kubeconfig));
  made->advice_ = "check the server and the network between";
  TRY(made->connect(connection, admin_client::kRequestTimeout));
  return made;
}

Result<std::unique_ptr<AdminClient>> AdminClient::open_beside_node(
    const std::string& path, const std::string& node_kubeconfig) {
  std::unique_ptr<AdminClient> made(new AdminClient());
  auto connection = client::read_kubeconfig(made->files_, path);
  if (!connection) return connection.status().in("--admin-kubeconfig");
  if (admin_client::is_local(connection->server)) {
    const client::Connection own = TRY(client::read_kubeconfig(made->files_, node_kubeconfig));
    connection->server = own.server;
  }
  made->advice_ = "check --admin-kubeconfig, the server and the network between";
  TRY(made->connect(std::move(*connection), admin_client::kRequestTimeout));
  return made;
}

Result<std::unique_ptr<AdminClient>> AdminClient::open_kubeconfig(const std::string& path,
                                                                  Duration timeout,
                                                                  std::string_view source) {
  std::unique_ptr<AdminClient> made(new AdminClient());
  const auto connection = client::read_kubeconfig(made->files_, path);
  if (!connection) return connection.status().in(source);
  made->advice_ = "check " + std::string(source);
  TRY(made->connect(*connection, timeout));
  return made;
}

Result<void> AdminClient::connect(client::Connection connection, Duration timeout) {
  server_ = connection.server;
  authority_pem_ = connection.authority_pem;
  name_space_ = connection.name_space;
  client::RemoteOptions options;
  options.connection = std::move(connection);
  options.user_agent = "proa";
  options.timeout = timeout;
  timeout_ = timeout;
  client_ = TRY(client::RemoteClient::make(loops_, clock_, files_, std::move(options)));
  return {};
}

Result<std::string> AdminClient::text_at(const std::string& path) {
  const http::Response response = TRY(client_->get_path(path, Until::after(clock_, timeout_)));
  return std::string(response.body.view());
}

Status AdminClient::explain(const Status& failure) const {
  // Errors of the API have details; errors of the network do not.
  const bool answered = failure.code() < 500 || !failure.details().kind.empty();
  if (answered) return failure;
  return Status(failure.reason(),
                "no server answers at " + server_ + " (" + failure.message() + "); " + advice_);
}

}  // namespace proa::cli

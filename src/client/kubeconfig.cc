#include "client/kubeconfig.h"

#include <algorithm>

#include "api/object/view.h"
#include "base/encoding.h"
#include "crypto/authority_file.h"
#include "http/wire/url.h"
#include "json/yaml.h"

namespace proa::client {
namespace kubeconfig {

// Certificates and tokens are small; a kubeconfig of hundreds of clusters still fits.
constexpr size_t kMaxBytes = 4 * 1024 * 1024;

Status bad(std::string message) { return {Reason::kBadRequest, std::move(message)}; }

// The `part` of the entry of that name in a list such as `clusters`.
Result<api::View> named(api::View config, std::string_view list, std::string_view name,
                        std::string_view part) {
  for (const api::View entry : config[list].items()) {
    if (entry["name"].text() == name) return entry[part];
  }
  return bad("no entry \"" + std::string(name) + "\" in " + std::string(list));
}

class Reader {
 public:
  Reader(Files& files, std::string_view folder) : files_(files), folder_(folder) {}

  std::string place(std::string_view path) const {
    if (path.starts_with('/') || folder_.empty()) return std::string(path);
    return folder_ + "/" + std::string(path);
  }

  // The content of `name`-data (base64), or of the file that `name` names; empty if both are
  // absent.
  Result<std::string> content(api::View from, const std::string& name) const {
    const std::string_view data = from[name + "-data"].text();
    if (!data.empty()) {
      std::optional<std::string> decoded = from_base64(data);
      if (!decoded) return bad(name + "-data is not base64");
      return std::move(*decoded);
    }
    const std::string_view path = from[name].text();
    if (path.empty()) return std::string();
    return files_.read_file(place(path), kMaxBytes);
  }

  // The same, of an authority: a file must have a certificate.
  Result<std::string> authority(api::View from, const std::string& name) const {
    const std::string_view path = from[name].text();
    if (path.empty() || !from[name + "-data"].text().empty()) return content(from, name);
    Result<std::string> text = crypto::read_authority_file(files_, place(path));
    if (!text) return text.status().in(name);
    return text;
  }

 private:
  Files& files_;
  const std::string folder_;
};

Result<void> read_cluster(const Reader& reader, api::View cluster, Connection& connection) {
  connection.server = cluster["server"].text();
  if (connection.server.empty()) return bad("the cluster has no server");
  TRY(http::parse_url(connection.server));
  if (!cluster["proxy-url"].text().empty()) return bad("proxy-url is not supported");
  connection.server_name = cluster["tls-server-name"].text();
  connection.insecure_skip_verify = cluster["insecure-skip-tls-verify"].flag();
  connection.authority_pem = TRY(reader.authority(cluster, "certificate-authority"));
  if (connection.insecure_skip_verify && !connection.authority_pem.empty()) {
    return bad("certificate-authority and insecure-skip-tls-verify must not both be set");
  }
  return {};
}

// As upstream's headerKeyEscape: keys of extras may hold what names of fields cannot.
std::string escaped(std::string_view key) {
  std::string name;
  for (const char c : key) {
    const std::string_view one(&c, 1);
    if (c != '%' && http::is_token(one)) {
      name += c;
    } else {
      name += '%' + to_upper_hex(one);
    }
  }
  return name;
}

bool breaks_lines(std::string_view value) {
  return value.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

// Whom the user acts as, in the fields that client-go sends.
Result<http::Headers> read_impersonation(api::View user) {
  http::Headers fields;
  if (user["as"].text().empty()) {
    const bool rest = !user["as-uid"].text().empty() || !user["as-groups"].empty() ||
                      !user["as-user-extra"].empty();
    if (rest) return bad("as-uid, as-groups and as-user-extra require as");
    return fields;
  }
  fields.add("impersonate-user", user["as"].text());
  if (!user["as-uid"].text().empty()) fields.add("impersonate-uid", user["as-uid"].text());
  for (const api::View group : user["as-groups"].items()) {
    fields.add("impersonate-group", group.text());
  }
  for (const json::Member& extra : user["as-user-extra"].members()) {
    for (const api::View value : api::View(extra.value).items()) {
      fields.add("impersonate-extra-" + escaped(extra.key), value.text());
    }
  }
  if (std::any_of(fields.begin(), fields.end(),
                  [](const http::Headers::Field& field) { return breaks_lines(field.second); })) {
    return bad("as, as-uid, as-groups and as-user-extra must not contain line breaks");
  }
  return fields;
}

Result<void> read_user(const Reader& reader, api::View user, Connection& connection) {
  for (const char* field : {"exec", "auth-provider"}) {
    if (user[field].exists()) return bad(std::string(field) + " is not supported");
  }
  connection.certificate.certificate_pem = TRY(reader.content(user, "client-certificate"));
  connection.certificate.private_key_pem = TRY(reader.content(user, "client-key"));
  if (connection.certificate.certificate_pem.empty() !=
      connection.certificate.private_key_pem.empty()) {
    return bad("client-certificate and client-key must be set together");
  }
  connection.token = user["token"].text();
  const std::string_view token_file = user["tokenFile"].text();
  if (!token_file.empty()) connection.token_file = reader.place(token_file);
  connection.impersonation = TRY(read_impersonation(user));
  return {};
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

Result<KubeconfigUsers> read_users(const Reader& reader, api::View config) {
  KubeconfigUsers read;
  for (const api::View entry : config["users"].items()) {
    const std::string name(entry["name"].text());
    const api::View user = entry["user"];
    Connection connection;
    const Result<void> credentials = user["username"].exists() || user["password"].exists()
                                         ? Result<void>(bad("username is not supported"))
                                         : read_user(reader, user, connection);
    if (!credentials) return credentials.status().in("user \"" + name + "\"");
    read.users.emplace(name, std::move(connection));
  }
  const std::string_view context = config["current-context"].text();
  if (context.empty()) return read;
  const api::View chosen = TRY(named(config, "contexts", context, "context"));
  read.current = chosen["user"].text();
  return read;
}

}  // namespace kubeconfig

http::TlsOptions Connection::tls() const {
  return {.certificate_pem = certificate.certificate_pem,
          .private_key_pem = certificate.private_key_pem,
          .roots_pem = authority_pem,
          .insecure_skip_verify = insecure_skip_verify};
}

Result<Connection> parse_kubeconfig(Files& files, std::string_view text, std::string_view folder,
                                    std::string_view context) {
  const json::Document document = TRY(json::parse_yaml(text));
  const api::View config = document.root();
  if (context.empty()) context = config["current-context"].text();
  if (context.empty()) return kubeconfig::bad("current-context is not set");
  const api::View chosen = TRY(kubeconfig::named(config, "contexts", context, "context"));
  const api::View cluster =
      TRY(kubeconfig::named(config, "clusters", chosen["cluster"].text(), "cluster"));
  const kubeconfig::Reader reader(files, folder);
  Connection connection;
  TRY(kubeconfig::read_cluster(reader, cluster, connection));
  if (!chosen["user"].text().empty()) {
    const api::View user = TRY(kubeconfig::named(config, "users", chosen["user"].text(), "user"));
    TRY(kubeconfig::read_user(reader, user, connection));
  }
  connection.name_space = chosen["namespace"].text("default");
  if (connection.name_space.empty()) connection.name_space = "default";
  return connection;
}

Result<Connection> read_kubeconfig(Files& files, const std::string& path,
                                   std::string_view context) {
  const std::string text = TRY(files.read_file(path, kubeconfig::kMaxBytes));
  Result<Connection> connection =
      parse_kubeconfig(files, text, kubeconfig::folder_of(path), context);
  if (!connection) return connection.status().in("kubeconfig " + path);
  return connection;
}

Result<KubeconfigUsers> read_kubeconfig_users(Files& files, const std::string& path) {
  const std::string text = TRY(files.read_file(path, kubeconfig::kMaxBytes));
  const Result<json::Document> document = json::parse_yaml(text);
  if (!document) return document.status().in("kubeconfig " + path);
  const kubeconfig::Reader reader(files, kubeconfig::folder_of(path));
  Result<KubeconfigUsers> users = kubeconfig::read_users(reader, document->root());
  if (!users) return users.status().in("kubeconfig " + path);
  return users;
}

}  // namespace proa::client

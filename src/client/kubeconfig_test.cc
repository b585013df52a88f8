#include "client/kubeconfig.h"

#include <gtest/gtest.h>

#include <map>

#include "crypto/authority.h"

namespace proa::client {
namespace {

using Content = std::map<std::string, std::string>;

class FilesByName final : public Files {
 public:
  explicit FilesByName(Content content) : content_(std::move(content)) {}
  Result<std::string> read_file(const std::string& path, size_t) override {
    const auto found = content_.find(path);
    if (found == content_.end()) return Status(Reason::kNotFound, path + ": not found");
    return found->second;
  }
  Result<void> write_file_atomic(const std::string&, std::string_view, mode_t) override {
    return unused();
  }
  Result<std::vector<std::string>> list(const std::string&) override { return unused(); }
  Result<void> make_dirs(const std::string&, mode_t) override { return unused(); }
  Result<void> remove(const std::string&) override { return unused(); }
  Result<bool> exists(const std::string&) override { return unused(); }
  Result<FileDescriptor> open_beneath(const std::string&, const std::string&, int,
                                      mode_t) override {
    return unused();
  }

 private:
  static Status unused() { return {Reason::kInternalError, "unused"}; }
  const Content content_;
};

constexpr std::string_view kTwoContexts = R"(
apiVersion: v1
kind: Config
current-context: near
contexts:
- name: near
  context: {cluster: a, user: certificate, namespace: team}
- name: far
  context: {cluster: b, user: token}
clusters:
- name: a
  cluster:
    server: https://10.0.0.1:6443
    certificate-authority-data: Q0E=
    tls-server-name: api.example
- name: b
  cluster:
    server: https://far.example/prefix
    certificate-authority: pki/ca.crt
users:
- name: certificate
  user: {client-certificate: /abs/c.crt, client-key-data: S0VZ}
- name: token
  user: {token: secret, tokenFile: token}
)";

TEST(Kubeconfig, ReadsTheCurrentContext) {
  FilesByName files(
      Content{{"/home/.kube/config", std::string(kTwoContexts)}, {"/abs/c.crt", "CERT"}});
  const Result<Connection> found = read_kubeconfig(files, "/home/.kube/config");
  ASSERT_TRUE(found.ok()) << found.status().message();
  EXPECT_EQ(found->server, "https://10.0.0.1:6443");
  EXPECT_EQ(found->server_name, "api.example");
  EXPECT_EQ(found->authority_pem, "CA");
  EXPECT_EQ(found->certificate.certificate_pem, "CERT");
  EXPECT_EQ(found->certificate.private_key_pem, "KEY");
  EXPECT_EQ(found->name_space, "team");
  EXPECT_FALSE(found->insecure_skip_verify);
}

TEST(Kubeconfig, ReadsANamedContextWithPathsFromItsFolder) {
  crypto::CertificateTemplate wanted;
  wanted.common_name = "authority";
  wanted.not_after = Time(std::chrono::hours(1));
  const std::string roots = crypto::make_authority(wanted)->certificate_pem;
  FilesByName files(Content{{"/home/.kube/pki/ca.crt", roots}});
  const Result<Connection> found = parse_kubeconfig(files, kTwoContexts, "/home/.kube", "far");
  ASSERT_TRUE(found.ok()) << found.status().message();
  EXPECT_EQ(found->server, "https://far.example/prefix");
  EXPECT_EQ(found->authority_pem, roots);
  EXPECT_EQ(found->token, "secret");
  EXPECT_EQ(found->token_file, "/home/.kube/token");
  EXPECT_EQ(found->name_space, "default");
}

TEST(Kubeconfig, AnAuthorityThatIsAFileHasACertificate) {
  FilesByName files(Content{{"/home/.kube/pki/ca.crt", "\n"}});
  const Result<Connection> found = parse_kubeconfig(files, kTwoContexts, "/home/.kube", "far");
  ASSERT_FALSE(found.ok());
  EXPECT_TRUE(found.status().message().starts_with(
      "certificate-authority: /home/.kube/pki/ca.crt contains no certificate; "))
      << found.status().message();
}

TEST(Kubeconfig, ReadsWhomTheUserActsAs) {
  FilesByName files(Content{});
  const Result<Connection> found = parse_kubeconfig(files, R"(
current-context: x
contexts: [{name: x, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://a"}}]
users:
- name: u
  user:
    token: secret
    as: system:node:a
    as-uid: "7"
    as-groups: [one, two]
    as-user-extra: {Scopes: [read, write], "example.org/100%": [x]}
)",
                                                    "");
  ASSERT_TRUE(found.ok()) << found.status().message();
  const std::vector<http::Headers::Field> sent(found->impersonation.begin(),
                                               found->impersonation.end());
  EXPECT_EQ(sent,
            (std::vector<http::Headers::Field>{{"impersonate-user", "system:node:a"},
                                               {"impersonate-uid", "7"},
                                               {"impersonate-group", "one"},
                                               {"impersonate-group", "two"},
                                               {"impersonate-extra-scopes", "read"},
                                               {"impersonate-extra-scopes", "write"},
                                               {"impersonate-extra-example.org%2f100%25", "x"}}));
}

TEST(Kubeconfig, RefusesWhatItCannotFollow) {
  struct Case {
    std::string name;
    std::string cluster;
    std::string user;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"no server", "{}", "{}", "the cluster has no server"},
      {"a proxy", "{server: https://a, proxy-url: http://p}", "{}", "proxy-url is not supported"},
      {"a program", "{server: https://a}", "{exec: {command: x}}", "exec is not supported"},
      {"half a pair", "{server: https://a}", "{client-key-data: S0VZ}",
       "client-certificate and client-key must be set together"},
      {"groups of nobody", "{server: https://a}", "{as-groups: [g]}",
       "as-uid, as-groups and as-user-extra require as"},
      {"a second header", "{server: https://a}", "{as: \"a\\r\\nx-remote-user: b\"}",
       "as, as-uid, as-groups and as-user-extra must not contain line breaks"},
      {"no base64", "{server: https://a, certificate-authority-data: '*'}", "{}",
       "certificate-authority-data is not base64"},
      {"trust in nobody and somebody",
       "{server: https://a, insecure-skip-tls-verify: true, certificate-authority-data: Q0E=}",
       "{}", "certificate-authority and insecure-skip-tls-verify must not both be set"},
  };
  FilesByName files(Content{});
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const std::string text =
        "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: "
        "u}}]\nclusters: [{name: c, cluster: " +
        c.cluster + "}]\nusers: [{name: u, user: " + c.user + "}]\n";
    const Result<Connection> found = parse_kubeconfig(files, text, "");
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.status().message(), c.message);
  }
  EXPECT_EQ(parse_kubeconfig(files, kTwoContexts, "", "none").status().message(),
            "no entry \"none\" in contexts");
  EXPECT_EQ(parse_kubeconfig(files, "{}", "").status().message(), "current-context is not set");
}

}  // namespace
}  // namespace proa::client

#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <memory>

#include "base/encoding.h"
#include "program.h"
#include "server.h"

namespace proa::e2e {

constexpr std::string_view kMarker = "the-plain-marker-of-a-secret";
inline const std::string kSecrets = "/api/v1/namespaces/default/secrets";

// A server whose secrets are encrypted on disk, and what its files hold.
class AtRestTest : public testing::Test {
 protected:
  // The body of the answer.
  std::string ask(const std::string& path, const std::string& options = "") const {
    const std::string tls = data_ + "/tls/";
    return run_shell("curl -sS -A test -m 20 --cacert " + tls + "authority.crt --cert " + tls +
                     "admin.crt --key " + tls + "admin.key " + options + " '" + url_ + path + "'")
        .text;
  }
  void start(const std::vector<std::string>& flags) {
    server_ = std::make_unique<Server>(data_, "server", flags);
    ASSERT_TRUE(server_->ready()) << server_->said();
    url_ = server_->url();
  }
  void start_encrypted(const std::string& providers) {
    configure(providers);
    start({"--encryption-provider-config", file_, "--encryption-provider-config-automatic-reload"});
  }
  void stop() {
    ASSERT_EQ(server_->stop(SIGTERM), 0) << server_->said();
    server_.reset();
  }
  void configure(const std::string& providers) const {
    const std::string partial = file_ + ".partial";
    std::ofstream(partial) << "apiVersion: apiserver.config.k8s.io/v1\n"
                              "kind: EncryptionConfiguration\n"
                              "resources:\n"
                              "- {resources: [secrets], providers: ["
                           << providers << "]}\n";
    std::filesystem::rename(partial, file_);
  }
  // An element of the configuration, with a key of that name.
  static std::string key(const std::string& name) {
    return "{aesgcm: {keys: [{name: " + name +
           ", secret: " + to_base64(std::string(32, name.back())) + "}]}}";
  }
  void create(const std::string& name) const {
    const std::string body = R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":")" + name +
                             R"("},"stringData":{"x":")" + std::string(kMarker) + R"("}})";
    EXPECT_EQ(
        ask(kSecrets,
            "-o /dev/null -w '%{http_code}' -H 'Content-Type: application/json' -d '" + body + "'"),
        "201");
  }
  bool has(const std::string& name) const {
    return ask(kSecrets + "/" + name).find(to_base64(kMarker)) != std::string::npos;
  }
  Outcome reencrypt(const std::string& options = "") const {
    return run_program("secrets reencrypt --data-dir " + data_ + " " + options);
  }
  // Files with that text, in the data directory and the backup. A running server removes files
  // meanwhile.
  std::string holders(std::string_view text) const {
    return run_shell("grep -rlsaF --exclude=" + std::filesystem::path(file_).filename().string() +
                     " -e '" + std::string(text) + "' " + folder_.path())
        .text;
  }
  std::string refusal(const std::vector<std::string>& flags) const {
    Server refused(data_, "server", flags);
    EXPECT_FALSE(refused.ready());
    return refused.said();
  }

  const TemporaryFolder folder_;
  const std::string data_ = folder_.path() + "/data";
  const std::string file_ = folder_.path() + "/encryption.yaml";
  const std::string marker_ = to_base64(kMarker);
  std::string url_;
  std::unique_ptr<Server> server_;
};

}  // namespace proa::e2e

#pragma once

#include <fstream>
#include <string>

#include "api/object/view.h"
#include "base/threads/mutex.h"
#include "cluster.h"
#include "json/parse.h"
#include "testkit/http/test_server.h"

namespace proa::node_tests {

// A registry on this machine with one image, ADDRESS/private:1, only for the user "reader" with the
// password "secret".
class Registry {
 public:
  explicit Registry(const Cluster& cluster) {
    const std::string name = "docker.io/library/for-the-registry:1";
    // Another user than that of other images, so that it has a different id.
    cluster.import_busybox(name, "1234");
    const std::string ctr = "ctr -a " + cluster.socket() + " -n k8s.io images ";
    const e2e::Outcome moved =
        e2e::run_shell("cd " + folder_.path() + " && " + ctr + "export image.tar " + name +
                       " && tar -xf image.tar && " + ctr + "rm --sync " + name);
    EXPECT_EQ(moved.code, 0) << moved.text;
  }

  std::string address() const { return "127.0.0.1:" + std::to_string(server_.port()); }
  std::string image() const { return address() + "/private:1"; }
  // The number of rejected requests.
  int refused() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return refused_;
  }

 private:
  static constexpr const char* kReader = "Basic cmVhZGVyOnNlY3JldA==";

  static std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string blob(const std::string& digest) const {
    return content(folder_.path() + "/blobs/sha256/" + digest.substr(digest.find(':') + 1));
  }

  void handle(const http::ExchangePtr& exchange) {
    if (exchange->request().headers.get("authorization") != kReader) {
      MutexLock lock(mutex_);
      ++refused_;
      return exchange->respond({401,
                                {{"www-authenticate", "Basic realm=\"test\""}},
                                Bytes::of_static(R"({"errors":[{"code":"UNAUTHORIZED"}]})"),
                                {}});
    }
    const std::string& target = exchange->request().target;
    std::string last = target.substr(target.rfind('/') + 1);
    if (target.find("/private/blobs/") != std::string::npos) {
      return exchange->respond(
          {200, {{"content-type", "application/octet-stream"}}, Bytes(blob(last)), {}});
    }
    if (target.find("/private/manifests/") == std::string::npos) {
      return exchange->respond({404, {}, {}, {}});
    }
    const auto index = json::parse(content(folder_.path() + "/index.json")).value();
    const api::View first = api::View(index.root())["manifests"].item(0);
    if (last == "1") last = first["digest"].text();
    exchange->respond({200,
                       {{"content-type", std::string(first["mediaType"].text())},
                        {"docker-content-digest", last}},
                       Bytes(blob(last)),
                       {}});
  }

  const e2e::TemporaryFolder folder_;
  mutable Mutex mutex_;
  int refused_ GUARDED_BY(mutex_) = 0;
  testkit::TestServer server_{[this](const http::ExchangePtr& exchange) { handle(exchange); },
                              false};
};

}  // namespace proa::node_tests

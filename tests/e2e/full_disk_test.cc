// A server whose disk is full, or that has no descriptors left: it says so, serves what it can,
// loses nothing, and goes on by itself.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <atomic>
#include <set>

#include "admin.h"
#include "base/files.h"
#include "server.h"
#include "small_mount.h"

namespace proa::e2e {
namespace {

using testkit::holds_within;

class FullDisk : public testing::Test {
 protected:
  void SetUp() override {
    // Only root may mount, and not in every container: a full disk cannot be had otherwise.
    if (geteuid() != 0) GTEST_SKIP() << "needs root, to mount a small file system";
    if (!disk_.mounted()) GTEST_SKIP() << "cannot mount a tmpfs here";
    start();
  }
  void start() {
    server_.reset();
    server_ = std::make_unique<Server>(disk_.data_dir());
    ASSERT_TRUE(server_->ready()) << server_->said();
  }

  struct Answer {
    int code = 0;
    std::string text;
  };
  // As the administrator, with the certificates: the kubeconfig may not be written on a full disk.
  Answer ask(const std::string& method, const std::string& path, const std::string& body = "") {
    const std::string tls = disk_.data_dir() + "/tls/";
    const std::string file = folder_.file("body", body);
    const std::string text =
        run_shell("curl -sS -A test -m 20 -w '\\n%{http_code}' --cacert " + tls +
                  "authority.crt --cert " + tls + "admin.crt --key " + tls + "admin.key -X " +
                  method +
                  (body.empty() ? "" : " -H 'Content-Type: application/json' -d @" + file) + " '" +
                  server_->url() + path + "'")
            .text;
    const size_t end = text.rfind('\n');
    if (end == std::string::npos) return {0, text};
    return {std::atoi(text.c_str() + end + 1), text.substr(0, end)};
  }
  Answer create(size_t bytes) {
    const std::string name = "map-" + std::to_string(count_++);
    Answer answer = ask("POST", kMaps,
                        R"({"metadata":{"name":")" + name + R"("},"data":{"x":")" +
                            std::string(bytes, 'x') + R"("}})");
    if (answer.code == 201) acknowledged_.insert(name);
    return answer;
  }
  Answer update(const std::string& name, const std::string& text) {
    return ask("PUT", std::string(kMaps) + "/" + name,
               R"({"metadata":{"name":")" + name + R"("},"data":{"x":")" + text + R"("}})");
  }
  Answer create_until_refused(size_t bytes) {
    Answer answer{201, ""};
    for (int i = 0; i < 1000 && answer.code == 201; ++i) answer = create(bytes);
    return answer;
  }
  Answer remove(const std::string& name) {
    Answer answer = ask("DELETE", std::string(kMaps) + "/" + name);
    if (answer.code == 200) acknowledged_.erase(name);
    return answer;
  }
  std::set<std::string> stored() {
    std::set<std::string> names;
    const Answer answer = ask("GET", kMaps);
    const Result<json::Document> list = json::parse(answer.text);
    if (!list.ok()) return names;
    for (const json::Value& object : at(list->root(), {"items"}).items()) {
      names.insert(text_at(object, {"metadata", "name"}));
    }
    names.erase("kube-root-ca.crt");
    return names;
  }
  bool creates() {
    return holds_within(std::chrono::seconds(20), [&] { return create(100).code == 201; });
  }
  bool is_ready() {
    return holds_within(std::chrono::seconds(40),
                        [&] { return ask("GET", "/readyz").code == 200; });
  }
  static size_t count_of(const std::string& text, const std::string& part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++count;
    return count;
  }
  void expect_says_why() {
    const std::string cause = "the disk with the data directory is full";
    const Answer ready = ask("GET", "/readyz");
    EXPECT_EQ(ready.code, 500);
    EXPECT_NE(ready.text.find("[-]etcd failed"), std::string::npos) << ready.text;
    EXPECT_NE(ready.text.find("[-]disk-space failed"), std::string::npos) << ready.text;
    for (const char* check : {"etcd", "disk-space"}) {
      const Answer one = ask("GET", std::string("/readyz/") + check);
      EXPECT_EQ(one.code, 500);
      EXPECT_NE(one.text.find(cause), std::string::npos) << one.text;
    }
    const Answer component = ask("GET", "/api/v1/componentstatuses/etcd-0");
    EXPECT_NE(component.text.find("\"status\":\"False\""), std::string::npos) << component.text;
    EXPECT_NE(component.text.find(cause), std::string::npos) << component.text;
    EXPECT_NE(server_->said().find(cause), std::string::npos) << server_->said();
  }

  const TemporaryFolder folder_;
  const SmallMount disk_{folder_.path() + "/disk", 24};
  std::unique_ptr<Server> server_;
  std::set<std::string> acknowledged_;
  int count_ = 0;
};

TEST_F(FullDisk, IsReportedAndSurvived) {
  for (int i = 0; i < 10; ++i) ASSERT_EQ(create(1000).code, 201);
  EXPECT_TRUE(is_ready());
  disk_.fill();
  const Answer refused = create_until_refused(20'000);
  EXPECT_EQ(refused.code, 507) << refused.text;
  EXPECT_NE(refused.text.find("\"reason\":\"InsufficientStorage\""), std::string::npos)
      << refused.text;
  EXPECT_NE(refused.text.find("free space on that disk, or delete objects"), std::string::npos)
      << refused.text;
  expect_says_why();
  EXPECT_EQ(ask("GET", "/livez").code, 200) << "a restart would not help";
  EXPECT_NE(ask("GET", "/metrics").text.find("proa_store_state{state=\"full\"} 1"),
            std::string::npos);
  const Outcome status = run_program("status --data-dir " + disk_.data_dir());
  EXPECT_NE(status.text.find("disk-space: the disk with the data directory is full"),
            std::string::npos)
      << status.text;
  EXPECT_EQ(count_of(server_->said(), "the store's disk is full"), 1u) << server_->said();
  // Reads and deletes go on.
  EXPECT_EQ(stored(), acknowledged_);
  EXPECT_EQ(remove("map-0").code, 200);
  EXPECT_EQ(stored(), acknowledged_);

  server_->stop(SIGKILL);
  start();
  EXPECT_EQ(stored(), acknowledged_) << "killed while the disk is full, and started so";
  EXPECT_EQ(create(20'000).code, 507);
  EXPECT_EQ(remove("map-1").code, 200);
  expect_says_why();

  disk_.free();
  EXPECT_TRUE(creates()) << server_->said();
  EXPECT_TRUE(is_ready()) << ask("GET", "/readyz?verbose").text;
  EXPECT_EQ(count_of(server_->said(), "the store accepts all writes again"), 1u);
  const auto events = [&] { return ask("GET", "/api/v1/namespaces/default/events").text; };
  EXPECT_TRUE(holds_within(std::chrono::seconds(10), [&] {
    const std::string text = events();
    return text.find("StoreNotWritable") != std::string::npos &&
           text.find("\"StoreWritable\"") != std::string::npos;
  })) << events();
  EXPECT_EQ(stored(), acknowledged_);

  server_->stop(SIGKILL);
  start();
  EXPECT_EQ(stored(), acknowledged_);
  EXPECT_EQ(server_->stop(SIGTERM), 0);
  const Outcome checked = run_program("store check " + disk_.data_dir() + "/store");
  EXPECT_NE(checked.text.find("no errors found"), std::string::npos) << checked.text;
}

TEST_F(FullDisk, DeletesFreeSpace) {
  const Answer refused = create_until_refused(200'000);
  EXPECT_EQ(refused.code, 507) << refused.text;
  EXPECT_GT(acknowledged_.size(), 20u);
  const std::set<std::string> all = acknowledged_;
  size_t removed = 0;
  for (const std::string& name : all) {
    if (++removed > all.size() / 2) break;
    ASSERT_EQ(remove(name).code, 200);
  }
  EXPECT_TRUE(holds_within(std::chrono::seconds(20), [&] { return create(200'000).code == 201; }))
      << server_->said();
  EXPECT_EQ(stored(), acknowledged_);
}

// Nothing is left, not even the reserve.
TEST_F(FullDisk, IsReadableToTheLastByte) {
  for (int i = 0; i < 10; ++i) ASSERT_EQ(create(1000).code, 201);
  std::jthread filler([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) disk_.fill();
  });
  // Small updates are accepted as long as there is room in the log. Compaction may find some again
  // and again: then the store gets by.
  std::string padding;
  const bool stuck = holds_within(std::chrono::seconds(15), [&] {
    for (int i = 0; i < 10; ++i) update("map-1", padding += std::string(2000, 'y'));
    if (padding.size() > 40'000) padding.clear();
    return ask("GET", "/readyz/etcd").text.find("no write is accepted") != std::string::npos;
  });
  expect_says_why();
  if (stuck) {
    EXPECT_EQ(ask("GET", "/livez/etcd").code, 500);
    EXPECT_EQ(remove("map-0").code, 507);
  }
  const auto holds_all = [&] {
    const std::set<std::string> found = stored();
    return std::includes(found.begin(), found.end(), acknowledged_.begin(), acknowledged_.end());
  };
  EXPECT_TRUE(holds_all());
  server_->stop(SIGKILL);
  start();
  EXPECT_TRUE(holds_all());
  EXPECT_EQ(create(10).code, 507);

  filler.request_stop();
  filler.join();
  disk_.free();
  EXPECT_TRUE(creates()) << server_->said();
  EXPECT_TRUE(is_ready()) << ask("GET", "/readyz?verbose").text;
  EXPECT_TRUE(holds_all());
}

// Silent connections.
class Connections {
 public:
  Connections(const std::string& url, int count) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(std::atoi(url.c_str() + url.rfind(':') + 1)));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 0; i < count; ++i) {
      FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      if (!socket.valid()) return;
      if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) {
        open_.push_back(std::move(socket));
      }
    }
  }
  size_t count() const { return open_.size(); }

 private:
  std::vector<FileDescriptor> open_;
};

// For processes that are started meanwhile.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t count) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit few{count, count};
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(FullDisk, WritesGoOnWithoutDescriptors) {
  server_.reset();
  {
    const FewDescriptors few(256);
    start();
  }
  // One connection, from before.
  Admin admin(disk_.data_dir());
  const auto put = [&](int number) {
    return admin
        .ask("POST", kMaps,
             R"({"metadata":{"name":"m)" + std::to_string(number) + R"("},"data":{"x":")" +
                 std::string(50'000, 'x') + R"("}})")
        .code;
  };
  ASSERT_EQ(put(0), 201);
  {
    const Connections silent(server_->url(), 400);
    EXPECT_GT(silent.count(), 200u);
    // Several write buffers, each with a new log and a new table.
    for (int i = 1; i < 100; ++i) ASSERT_EQ(put(i), 201) << i << server_->said();
  }
  EXPECT_TRUE(is_ready()) << server_->said();
  EXPECT_EQ(stored().size(), 100u);
}

}  // namespace
}  // namespace proa::e2e

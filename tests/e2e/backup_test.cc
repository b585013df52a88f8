// Backs up a running server during writes, and restores the backup elsewhere.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <sstream>
#include <thread>

#include "program.h"
#include "server.h"

namespace proa::e2e {
namespace {

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// As the administrator with the certificates in that data directory.
std::string ask(const std::string& data_dir, const std::string& url,
                const std::string& options = "") {
  const std::string tls = data_dir + "/tls/";
  return run_shell("curl -sS -A test -m 20 --cacert " + tls + "authority.crt --cert " + tls +
                   "admin.crt --key " + tls + "admin.key " + options + " '" + url + "'")
      .text;
}

bool create(const std::string& data_dir, const Server& server, const std::string& name) {
  const std::string body =
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name + R"("}})";
  return ask(data_dir, server.url() + "/api/v1/namespaces/default/configmaps",
             "-o /dev/null -w '%{http_code}' -H 'Content-Type: application/json' -d '" + body +
                 "'") == "201";
}

std::string list(const std::string& data_dir, const Server& server) {
  return ask(data_dir, server.url() + "/api/v1/namespaces/default/configmaps");
}

bool holds(const std::string& list, const std::string& name) {
  return list.find("\"name\":\"" + name + "\"") != std::string::npos;
}

// The first one is the list's own.
long long resource_version(const std::string& list) {
  const std::string key = "\"resourceVersion\":\"";
  const size_t at = list.find(key);
  return at == std::string::npos ? 0 : std::atoll(list.c_str() + at + key.size());
}

// Creates "during-0", "during-1" and so on until destroyed.
class Writer {
 public:
  Writer(const std::string& data_dir, const Server& server)
      : thread_([this, data_dir, &server](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            if (!create(data_dir, server, "during-" + std::to_string(written_))) ++failed_;
            ++written_;
            written_.notify_all();
          }
        }) {}
  void wait_for(int count) const {
    for (int now = written_; now < count; now = written_) written_.wait(now);
  }
  void stop() {
    thread_.request_stop();
    thread_.join();
  }
  int written() const { return written_; }
  int failed() const { return failed_; }

 private:
  std::atomic<int> written_ = 0;
  std::atomic<int> failed_ = 0;
  std::jthread thread_;
};

class BackupTest : public testing::Test {
 protected:
  std::vector<std::string> names_in(const std::string& path, const std::string& beginning) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with(beginning)) names.push_back(name);
    }
    return names;
  }
  Outcome restore(const std::string& data_dir, const std::string& options = "") const {
    return run_program("restore " + file_ + " --data-dir " + data_dir + " " + options);
  }
  void start_and_stop(const std::string& data_dir) const {
    Server server(data_dir);
    ASSERT_TRUE(server.ready()) << server.said();
    ASSERT_TRUE(create(data_dir, server, "before"));
    ASSERT_EQ(server.stop(SIGTERM), 0) << server.said();
  }

  const TemporaryFolder folder_;
  const std::string data_ = folder_.path() + "/data";
  const std::string other_ = folder_.path() + "/other";
  const std::string file_ = folder_.path() + "/cluster.backup";
};

TEST_F(BackupTest, TakenUnderLoadItComesBackElsewhereAsItWas) {
  Server server(data_);
  ASSERT_TRUE(server.ready()) << server.said();
  ASSERT_TRUE(create(data_, server, "before"));
  Writer writer(data_, server);
  writer.wait_for(5);
  const int acknowledged = writer.written();
  const Outcome taken = run_program("backup " + file_ + " --data-dir " + data_);
  EXPECT_EQ(taken.code, 0) << taken.text;
  EXPECT_NE(taken.text.find("cluster.backup: revision "), std::string::npos) << taken.text;
  const int begun = writer.written() + 1;
  writer.wait_for(begun + 3);
  writer.stop();
  EXPECT_EQ(writer.failed(), 0);
  ASSERT_TRUE(create(data_, server, "after"));
  const std::string original = list(data_, server);
  const std::string kubeconfig = content(data_ + "/admin.kubeconfig");
  ASSERT_EQ(server.stop(SIGTERM), 0) << server.said();
  EXPECT_EQ(names_in(data_, "checkpoint-"), std::vector<std::string>{});
  EXPECT_EQ(names_in(folder_.path(), "cluster.backup"), std::vector<std::string>{"cluster.backup"});
  struct stat info {};
  ASSERT_EQ(::stat(file_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);

  const Outcome restored = restore(other_);
  ASSERT_EQ(restored.code, 0) << restored.text;
  EXPECT_EQ(content(other_ + "/admin.kubeconfig"), kubeconfig);
  EXPECT_EQ(names_in(other_, "restore-"), std::vector<std::string>{});
  Server second(other_);
  ASSERT_TRUE(second.ready()) << second.said();
  // The first cluster's administrator is also the second's.
  const std::string copy = list(data_, second);
  EXPECT_TRUE(holds(copy, "before")) << copy;
  EXPECT_FALSE(holds(copy, "after"));
  EXPECT_GT(resource_version(copy), resource_version(original));
  // Everything acknowledged before the backup began, and a gapless prefix of the writes during it.
  int found = 0;
  while (holds(copy, "during-" + std::to_string(found))) ++found;
  EXPECT_GE(found, acknowledged);
  EXPECT_LE(found, begun);
  for (int i = found; i < writer.written(); ++i) {
    EXPECT_FALSE(holds(copy, "during-" + std::to_string(i))) << i;
  }
  EXPECT_TRUE(create(data_, second, "after"));
  if (run_shell("command -v kubectl").code != 0) return;
  const std::string old = folder_.file("old.kubeconfig", kubeconfig);
  EXPECT_EQ(run_shell("HOME=" + folder_.path() + " kubectl --kubeconfig " + old + " --server " +
                      second.url() + " get configmap before -o name")
                .text,
            "configmap/before\n");
}

TEST_F(BackupTest, WorksWithoutAServerAndThroughPipes) {
  start_and_stop(data_);
  const Outcome piped = run_program("backup - --data-dir " + data_ + " 2>" + folder_.path() +
                                    "/said | " + program() + " restore - --data-dir " + other_);
  EXPECT_EQ(piped.code, 0) << piped.text;
  EXPECT_TRUE(content(folder_.path() + "/said").starts_with("standard output: revision "));
  EXPECT_EQ(names_in(data_, "checkpoint-"), std::vector<std::string>{});
  const Outcome checked = run_program("store check " + other_ + "/store");
  EXPECT_NE(checked.text.find("no errors found"), std::string::npos) << checked.text;
  Server server(other_);
  ASSERT_TRUE(server.ready()) << server.said();
  EXPECT_TRUE(holds(list(data_, server), "before"));
  EXPECT_EQ(run_program("backup " + file_ + " --data-dir " + folder_.path() + "/nowhere").code, 1);
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(BackupTest, RestoreLeavesAClusterAloneUnlessForced) {
  start_and_stop(data_);
  ASSERT_EQ(run_program("backup " + file_ + " --data-dir " + data_).code, 0);
  {
    Server server(data_);
    ASSERT_TRUE(server.ready()) << server.said();
    ASSERT_TRUE(create(data_, server, "after"));
    const Outcome running = restore(data_, "--force");
    EXPECT_EQ(running.code, 1);
    EXPECT_NE(running.text.find("stop it first"), std::string::npos) << running.text;
    ASSERT_EQ(server.stop(SIGTERM), 0);
  }
  const Outcome refused = restore(data_);
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.text.find("--force"), std::string::npos) << refused.text;
  const Outcome forced = restore(data_, "--force");
  EXPECT_EQ(forced.code, 0) << forced.text;
  EXPECT_NE(forced.text.find("moved aside: " + data_ + "/store.before-restore-"),
            std::string::npos);
  EXPECT_EQ(names_in(data_, "store.before-restore-").size(), 1u);
  EXPECT_EQ(names_in(data_, "tls.before-restore-").size(), 1u);
  Server server(data_);
  ASSERT_TRUE(server.ready()) << server.said();
  const std::string now = list(data_, server);
  EXPECT_TRUE(holds(now, "before"));
  EXPECT_FALSE(holds(now, "after"));
}

TEST_F(BackupTest, ADamagedBackupChangesNothing) {
  start_and_stop(data_);
  ASSERT_EQ(run_program("backup " + file_ + " --data-dir " + data_).code, 0);
  const std::string whole = content(file_);
  std::string changed = whole;
  changed[whole.rfind("Proa store") + 40] ^= 1;
  for (const std::string& damaged :
       {changed, whole.substr(0, whole.size() / 2), std::string("hello"), std::string()}) {
    folder_.file("cluster.backup", damaged);
    const Outcome refused = restore(data_, "--force");
    EXPECT_EQ(refused.code, 1) << refused.text;
    EXPECT_NE(refused.text.find("cluster.backup"), std::string::npos) << refused.text;
    EXPECT_EQ(restore(other_).code, 1);
  }
  EXPECT_FALSE(std::filesystem::exists(other_));
  EXPECT_EQ(names_in(data_, "store").size(), 1u);
  EXPECT_EQ(names_in(data_, "restore-").size(), 0u);
  EXPECT_NE(run_program("store check " + data_ + "/store").text.find("no errors found"),
            std::string::npos);
}

TEST_F(BackupTest, AServerRemovesWhatKilledBackupsLeft) {
  std::filesystem::create_directories(data_ + "/checkpoint-b2c4d5f6g7/db");
  Server server(data_);
  ASSERT_TRUE(server.ready()) << server.said();
  EXPECT_EQ(names_in(data_, "checkpoint-"), std::vector<std::string>{});
}

}  // namespace
}  // namespace proa::e2e

// Starts and stops of `proa up` itself, and commands on its machine.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/files.h"
#include "cluster.h"
#include "traces.h"

namespace proa::node_tests {
namespace {

class UpTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!missing().empty()) GTEST_SKIP() << "no cluster: " << missing();
  }
  void TearDown() override {
    const e2e::Outcome removed = e2e::run_program("uninstall --yes --data-dir " + data_dir());
    EXPECT_EQ(removed.code, 0) << removed.text;
  }

  std::string data_dir() const { return folder_.path() + "/data"; }
  std::string words(int kubelet_port) const {
    return "up --listen 0.0.0.0:0 --pod-cidr 10.127.249.0/24 --proxy-mode none --kubelet-port " +
           std::to_string(kubelet_port) + " --data-dir " + data_dir();
  }
  // Of this data directory's containerd.
  std::string run_folder() const {
    const e2e::Outcome found = e2e::run_shell("grep -o '/run/proa-[0-9a-f]*' " + data_dir() +
                                              "/containerd.toml | head -n 1");
    return found.text.substr(0, found.text.find('\n'));
  }

  const e2e::TemporaryFolder folder_;
};

TEST_F(UpTest, AFailedStartNamesTheFlagAndStopsWhatItStarted) {
  const FileDescriptor taken(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in where{};
  where.sin_family = AF_INET;
  ASSERT_EQ(bind(taken.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where), 0);
  ASSERT_EQ(listen(taken.get(), 1), 0);
  socklen_t size = sizeof where;
  ASSERT_EQ(getsockname(taken.get(), reinterpret_cast<sockaddr*>(&where), &size), 0);

  const e2e::Outcome failed = e2e::run_program(words(ntohs(where.sin_port)));
  EXPECT_EQ(failed.code, 1) << failed.text;
  EXPECT_NE(failed.text.find("change --kubelet-port"), std::string::npos) << failed.text;
  ASSERT_NE(run_folder(), "");
  EXPECT_EQ(Traces(data_dir(), run_folder()).processes(), Lines());
}

TEST_F(UpTest, RunsInTheBackgroundUntilDown) {
  const e2e::Outcome started = e2e::run_program(words(testkit::free_port()) + " --detach");
  ASSERT_EQ(started.code, 0) << started.text;
  EXPECT_NE(started.text.find("Ready after"), std::string::npos) << started.text;
  const std::string here = " --data-dir " + data_dir();
  EXPECT_NE(started.text.find("`proa down" + here + "` stops it"), std::string::npos)
      << started.text;
  const e2e::Outcome status = e2e::run_program("status" + here);
  EXPECT_EQ(status.code, 0) << status.text;
  for (const char* part : {"running as process", "runtime        /run/proa-", "disk ",
                           "certificate    kubelet until", "leader         kube-scheduler: "}) {
    EXPECT_NE(status.text.find(part), std::string::npos) << status.text;
  }
  const e2e::Outcome second = e2e::run_program(words(testkit::free_port()) + " --detach");
  EXPECT_EQ(second.code, 1);
  EXPECT_NE(second.text.find("already running as process"), std::string::npos) << second.text;
  EXPECT_EQ(e2e::run_program("down" + here).code, 0);
  EXPECT_EQ(Traces(data_dir(), run_folder()).processes(), Lines());
}

TEST_F(UpTest, ImagesAreImportedListedAndRemoved) {
  const std::string here = " --data-dir " + data_dir();
  const e2e::Outcome without = e2e::run_program("images list" + here);
  EXPECT_EQ(without.code, 1);
  ASSERT_EQ(e2e::run_program(words(testkit::free_port()) + " --detach").code, 0);
  const std::string hello = "docker.io/proa/hello:1";
  const auto listed = [&] { return e2e::run_program("images list" + here).text; };
  EXPECT_NE(listed().find(hello + "  "), std::string::npos) << listed();
  const std::string archive = folder_.path() + "/hello.tar";
  const e2e::Outcome saved =
      e2e::run_shell("ctr -a " + run_folder() + "/containerd.sock -n k8s.io images export " +
                     archive + " " + hello);
  ASSERT_EQ(saved.code, 0) << saved.text;
  EXPECT_EQ(e2e::run_program("images remove " + hello + here).text, hello + " removed\n");
  EXPECT_EQ(listed().find(hello), std::string::npos) << listed();
  EXPECT_EQ(e2e::run_program("images remove " + hello + here).code, 1);
  // As it is, compressed, and from standard input.
  ASSERT_EQ(e2e::run_shell("gzip -k " + archive).code, 0);
  const std::string import = e2e::program() + " images import ";
  for (const std::string& line : {import + archive + here, import + archive + ".gz" + here,
                                  "cat " + archive + " | " + import + "-" + here,
                                  import + "-" + here + " < " + archive + ".gz"}) {
    SCOPED_TRACE(line);
    const e2e::Outcome imported = e2e::run_shell(line);
    EXPECT_EQ(imported.code, 0);
    EXPECT_EQ(imported.text, hello + " imported\n");
    EXPECT_TRUE(testkit::holds_within(std::chrono::seconds(10), [&] {
      return listed().find(hello + "  ") != std::string::npos;
    })) << listed();
    EXPECT_EQ(e2e::run_program("images remove " + hello + here).code, 0);
    EXPECT_TRUE(testkit::holds_within(std::chrono::seconds(10), [&] {
      return listed().find(hello) == std::string::npos;
    })) << listed();
  }
  const std::string broken = folder_.file("broken.tar.gz", "\x1f\x8b no archive");
  const e2e::Outcome refused = e2e::run_program("images import " + broken + here);
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.text.find("importing " + broken + ": "), std::string::npos) << refused.text;
}

}  // namespace
}  // namespace proa::node_tests

#include "kubelet/workers/start/pod_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "testkit/kubelet/volume_fixtures.h"

namespace proa::kubelet {
namespace {

using Names = std::set<std::string>;

class LogFoldersTest : public ::testing::Test {
 protected:
  LogFoldersTest() {
    for (const char* name : {"log/pods", "log/containers", "own"}) {
      std::filesystem::create_directories(folder_.at(name));
    }
  }
  static PodPtr pod(const std::string& name) {
    return *Pod::read(api::Object::make(R"({"metadata":{"namespace":"d","name":")" + name +
                                        R"(","uid":")" + name + "-uid\"}}"),
                      Pod::Source::kApi);
  }
  // A pod with a container that has written a line.
  void start(const Paths& paths, const std::string& name) {
    ASSERT_TRUE(make_log_folder(paths, *pod(name)).ok());
    const std::string logs = paths.pod_logs("d", name, pod(name)->uid());
    std::filesystem::create_directories(logs + "/c");
    testing::put_file(logs + "/c/0.log", name);
    ASSERT_TRUE(link_log(paths, *pod(name), "c", "c/0.log", name + "-id").ok());
  }
  Names in(const std::string& name) const {
    Names names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.at(name))) {
      names.insert(entry.path().filename());
    }
    return names;
  }

  const testing::TemporaryFolder folder_;
  SystemFiles files_;
  // Two nodes on one machine.
  const Paths ours_{folder_.at("kubelet"), folder_.at("log/pods"), folder_.at("own")};
  const Paths theirs_{folder_.at("theirs"), folder_.at("log/pods")};
};

TEST_F(LogFoldersTest, CollectorsFindLogsByLinks) {
  start(ours_, "web");
  EXPECT_EQ(in("log/containers"), Names({"web_d_c-web-id.log"}));
  EXPECT_EQ(testing::file_text(folder_.at("log/containers/web_d_c-web-id.log")), "web");
  EXPECT_EQ(in("own"), Names({"d_web_web-uid"}));
}

TEST_F(LogFoldersTest, LogsOfOthersAreLeftAlone) {
  start(ours_, "web");
  start(theirs_, "other");
  EXPECT_EQ(*pods_with_logs(files_, ours_), std::vector<api::Uid>({api::Uid("web-uid")}));
  ASSERT_TRUE(remove_logs(files_, ours_, api::UidView("other-uid")).ok());
  EXPECT_EQ(in("log/pods"), Names({"d_web_web-uid", "d_other_other-uid"}));
  ASSERT_TRUE(remove_logs(files_, ours_, api::UidView("web-uid")).ok());
  EXPECT_EQ(in("log/pods"), Names({"d_other_other-uid"}));
  EXPECT_EQ(in("log/containers"), Names({"other_d_c-other-id.log"}));
  EXPECT_EQ(in("own"), Names());
}

TEST_F(LogFoldersTest, TheLinkGoesWithTheLog) {
  start(ours_, "web");
  ASSERT_TRUE(link_log(ours_, *pod("web"), "c", "c/1.log", "next").ok());
  ASSERT_TRUE(remove_log(files_, ours_, *pod("web"), {.name = "c", .attempt = 0}).ok());
  EXPECT_EQ(in("log/containers"), Names({"web_d_c-next.log"}));
}

TEST_F(LogFoldersTest, LinksHaveNamesThatFit) {
  const std::string name = Paths::log_link(std::string(253, 'p'), "n", "c", std::string(64, '0'));
  EXPECT_EQ(name.size(), 255U);
  EXPECT_TRUE(name.ends_with(".log"));
}

}  // namespace
}  // namespace proa::kubelet

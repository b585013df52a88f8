#include "kubelet/workers/static_pods/manifest_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "base/threads/mutex.h"
#include "testkit/fake_clock.h"

namespace proa::kubelet {
namespace {

// What the folder told, one after the other.
class Told {
 public:
  void put(const std::vector<PodPtr>& pods) {
    std::string names;
    for (const PodPtr& pod : pods) names += std::string(pod->name()) + " ";
    MutexLock lock(mutex_);
    names_.push_back(names);
    pods_ = pods;
    changed_.notify_all();
  }
  // Waits for the next one.
  std::string take() {
    MutexLock lock(mutex_);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (names_.empty()) {
      if (!changed_.wait_until(mutex_, deadline)) return "nothing came";
    }
    std::string names = names_.front();
    names_.erase(names_.begin());
    return names;
  }
  std::vector<PodPtr> pods() {
    MutexLock lock(mutex_);
    return pods_;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::vector<std::string> names_;
  std::vector<PodPtr> pods_;
};

class ManifestFolderTest : public testing::Test {
 protected:
  ManifestFolderTest() {
    std::string pattern = testing::TempDir() + "manifestsXXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ~ManifestFolderTest() override {
    folder_.reset();
    const std::string command = "rm -rf " + path_;
    EXPECT_EQ(::system(command.c_str()), 0);  // NOLINT: a folder of the test's own
  }

  static std::string pod(const std::string& name, const std::string& image = "i") {
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
           R"("},"spec":{"containers":[{"name":"c","image":")" + image + R"("}]}})";
  }
  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(files_.write_file_atomic(path_ + "/" + name, text, 0644).ok());
  }
  std::string follow() {
    auto made = follow_manifests(loop_, files_, path_, api::NodeName("n"), clock_,
                                 [this](const std::vector<PodPtr>& pods) { told_.put(pods); });
    EXPECT_TRUE(made.ok());
    folder_ = std::move(*made);
    return told_.take();
  }

  std::string path_;
  SystemFiles files_;
  testkit::FakeClock clock_;
  http::Loop loop_;
  Told told_;
  std::unique_ptr<ManifestFolder> folder_;
};

TEST_F(ManifestFolderTest, TellsWhatIsThereAndWhatChanges) {
  write("b.json", pod("b"));
  write(".hidden", pod("hidden"));
  write("broken", "{{{");
  ASSERT_EQ(::mkdir((path_ + "/folder").c_str(), 0755), 0);
  ASSERT_EQ(::mkfifo((path_ + "/pipe").c_str(), 0644), 0);
  EXPECT_EQ(follow(), "b-n ");
  write("a.json", pod("a"));
  EXPECT_EQ(told_.take(), "a-n b-n ");
  const api::Uid uid = told_.pods()[0]->uid();
  write("a.json", pod("a", "other"));
  EXPECT_EQ(told_.take(), "a-n b-n ");
  EXPECT_NE(told_.pods()[0]->uid(), uid);
  ASSERT_EQ(::unlink((path_ + "/b.json").c_str()), 0);
  EXPECT_EQ(told_.take(), "a-n ");
}

TEST_F(ManifestFolderTest, LeavesPodsAloneWhileFilesAreWritten) {
  write("a.json", pod("a"));
  EXPECT_EQ(follow(), "a-n ");
  FILE* file = ::fopen((path_ + "/a.json").c_str(), "w");
  ASSERT_NE(file, nullptr);
  const std::string text = pod("a", "other");
  ::fwrite(text.data(), 1, text.size() / 2, file);
  ::fflush(file);
  write("b.json", pod("b"));
  EXPECT_EQ(told_.take(), "a-n b-n ");
  ::fwrite(text.data() + text.size() / 2, 1, text.size() - text.size() / 2, file);
  ::fclose(file);
  EXPECT_EQ(told_.take(), "a-n b-n ");
  EXPECT_EQ(told_.pods()[0]->spec()["containers"].item(0)["image"].text(), "other");
}

TEST_F(ManifestFolderTest, KeepsPodsThatDidNotChange) {
  write("a.json", pod("a"));
  EXPECT_EQ(follow(), "a-n ");
  const PodPtr before = told_.pods()[0];
  write("a.json", pod("a") + "\n");
  write("b.json", pod("b"));
  EXPECT_EQ(told_.take(), "a-n b-n ");
  EXPECT_EQ(told_.pods()[0], before);
}

TEST_F(ManifestFolderTest, OfNothingIsEmpty) {
  ASSERT_EQ(::rmdir(path_.c_str()), 0);
  EXPECT_EQ(follow(), "");
}

}  // namespace
}  // namespace proa::kubelet

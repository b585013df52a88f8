#include "cli/host/instance_lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testkit/process.h"

namespace proa::cli {
namespace {

// Another process that holds the lock until it is killed.
class Holder {
 public:
  explicit Holder(const std::string& path) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    pid_ = fork();
    if (pid_ == 0) {
      const auto held = InstanceLock::take(path);
      const char answer = held.ok() ? 'y' : 'n';
      if (write(ends[1], &answer, 1) != 1) _exit(1);
      pause();
      _exit(0);
    }
    char answer = 0;
    EXPECT_EQ(read(ends[0], &answer, 1), 1);
    EXPECT_EQ(answer, 'y');
    close(ends[0]);
    close(ends[1]);
  }
  ~Holder() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

TEST(InstanceLock, IsHeldByOneProcessUntilItEnds) {
  const testkit::TempDir folder;
  const std::string path = folder.file("lock");
  EXPECT_FALSE(lock_holder(path).has_value());
  {
    const Holder holder(path);
    EXPECT_EQ(lock_holder(path), holder.pid());
    const auto refused = InstanceLock::take(path);
    ASSERT_TRUE(refused.is(Reason::kConflict));
    EXPECT_NE(refused.status().message().find(std::to_string(holder.pid())), std::string::npos);
  }
  EXPECT_FALSE(lock_holder(path).has_value());
  EXPECT_TRUE(InstanceLock::take(path).ok());
}

}  // namespace
}  // namespace proa::cli

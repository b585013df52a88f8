#include "cli/host/confine.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>

namespace proa::cli {
namespace {

std::string status_line(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name + ":")) return line.substr(line.find_last_of('\t') + 1);
  }
  return {};
}

// In a child: it cannot be undone. The exit code names the first check that failed.
int confined_checks() {
  if (!confine_server().ok()) return 1;
  if (status_line("NoNewPrivs") != "1") return 2;
  if (status_line("Seccomp") != "2") return 3;
  // At most CAP_NET_BIND_SERVICE, the tenth bit.
  const unsigned long long kept = std::stoull(status_line("CapEff"), nullptr, 16);
  if ((kept & ~0x400ull) != 0) return 4;
  if (geteuid() == 0 && status_line("CapBnd") != "0000000000000400") return 5;
  const char* const words[] = {"/bin/true", nullptr};
  if (execv(words[0], const_cast<char* const*>(words)) != -1 || errno != EPERM) return 6;
  if (unshare(CLONE_NEWUSER) != -1 || errno != EPERM) return 7;
  // What a server does.
  std::ifstream file("/proc/self/stat");
  return file.good() && getpid() > 0 ? 0 : 8;
}

TEST(ConfineServer, LeavesNothingThatAServerDoesNotNeed) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(confined_checks());
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace proa::cli

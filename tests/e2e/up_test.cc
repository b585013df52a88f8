// Starts the program as `make up` does, asks it as clients do, and stops it as service managers do.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "program.h"

namespace proa::e2e {
namespace {

// A `proa up` of its own, on a free port.
class Up {
 public:
  explicit Up(const std::string& data_dir) {
    int pipe_ends[2];
    EXPECT_EQ(pipe(pipe_ends), 0);
    process_ = fork();
    if (process_ == 0) {
      dup2(pipe_ends[1], STDOUT_FILENO);
      dup2(pipe_ends[1], STDERR_FILENO);
      close(pipe_ends[0]);
      close(pipe_ends[1]);
      const std::string path = program();
      execl(path.c_str(), "proa", "up", "--port", "0", "--data-dir", data_dir.c_str(), nullptr);
      _exit(127);
    }
    close(pipe_ends[1]);
    output_ = fdopen(pipe_ends[0], "r");
  }
  ~Up() {
    if (process_ > 0) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
    fclose(output_);
  }

  // Reads lines up to one that holds `word`; false when the output ends before.
  bool wait_for(const std::string& word) {
    char line[4096];
    while (fgets(line, sizeof line, output_) != nullptr) {
      said_ += line;
      if (std::string(line).find(word) != std::string::npos) return true;
    }
    return false;
  }
  std::string url() const {
    const size_t begin = said_.find("https://");
    return begin == std::string::npos
               ? ""
               : said_.substr(begin, said_.find_first_of(" \n", begin) - begin);
  }
  const std::string& said() const { return said_; }

  // The exit code after the signal; -1 when it ended otherwise.
  int stop(int signal) {
    kill(process_, signal);
    wait_for("(the end of the output)");
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t process_ = -1;
  FILE* output_ = nullptr;
  std::string said_;
};

class UpTest : public testing::Test {
 protected:
  std::string ask(const Up& up, const std::string& path, const std::string& options = "") const {
    return run_shell("curl -sS -m 10 " + options + " --cacert " + data_dir_ +
                     "/tls/authority.crt '" + up.url() + path + "'")
        .text;
  }

  const TemporaryFolder folder_;
  const std::string data_dir_ = folder_.path() + "/data";
};

TEST_F(UpTest, ServesHealthAndVersionOverTrustedTls) {
  Up up(data_dir_);
  ASSERT_TRUE(up.wait_for("Ready")) << up.said();
  for (const char* protocol : {"--http1.1", "--http2"}) {
    SCOPED_TRACE(protocol);
    EXPECT_EQ(ask(up, "/livez", protocol), "ok");
    EXPECT_EQ(ask(up, "/readyz?verbose", protocol), "ok");
    EXPECT_EQ(ask(up, "/healthz", protocol), "ok");
    EXPECT_NE(ask(up, "/version", protocol).find("\"gitVersion\": \"v1.36."), std::string::npos);
    EXPECT_EQ(ask(up, "/api", std::string(protocol) + " -o /dev/null -w '%{http_code}'"), "404");
  }
  EXPECT_EQ(up.stop(SIGTERM), 0) << up.said();
  EXPECT_NE(up.said().find("Stopped."), std::string::npos) << up.said();
}

TEST_F(UpTest, StartsAgainOverTheSameData) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Up up(data_dir_);
    ASSERT_TRUE(up.wait_for("Ready")) << up.said();
    EXPECT_EQ(ask(up, "/readyz"), "ok");
    EXPECT_EQ(up.stop(signal), 0);
  }
  const std::string checked = run_program("store check " + data_dir_ + "/store").text;
  EXPECT_NE(checked.find("all is well"), std::string::npos) << checked;
  const std::string inspected = run_program("store inspect -o json " + data_dir_ + "/store").text;
  EXPECT_NE(inspected.find("\"cleanShutdown\": true"), std::string::npos) << inspected;
}

TEST_F(UpTest, SurvivesBeingKilled) {
  {
    Up up(data_dir_);
    ASSERT_TRUE(up.wait_for("Ready")) << up.said();
    up.stop(SIGKILL);
  }
  Up up(data_dir_);
  EXPECT_TRUE(up.wait_for("Ready")) << up.said();
}

TEST_F(UpTest, ASecondOneOnTheSameDataIsRefused) {
  Up first(data_dir_);
  ASSERT_TRUE(first.wait_for("Ready")) << first.said();
  Up second(data_dir_);
  EXPECT_FALSE(second.wait_for("Ready"));
  EXPECT_NE(second.said().find(data_dir_), std::string::npos) << second.said();
}

}  // namespace
}  // namespace proa::e2e

#include "kubelet/containerd/shims.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kubelet/containerd/spawn.h"
#include "testkit/process.h"

namespace proa::kubelet {
namespace {

TEST(Shims, EndsThoseOfItsContainerdThatRunNothing) {
  const testkit::TempDir folder;
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  // The file says that it has come as far as that.
  const std::string waits = ": > $0; read line <> " + pipe;
  const std::string runs = "trap 'kill $!' TERM; sleep 1000 & : > $0; wait";
  struct Case {
    const char* name;
    std::string script;
    std::vector<std::string> words;
    bool ends;
  };
  const std::string socket = folder.file("containerd.sock");
  const Case cases[] = {
      {"nothing runs", waits, {"-namespace", "k8s.io", "-id", "a", "-address", socket}, true},
      {"something runs", runs, {"-namespace", "k8s.io", "-id", "b", "-address", socket}, false},
      {"of another", waits, {"-namespace", "k8s.io", "-id", "c", "-address", "/x.sock"}, false},
      {"no shim", waits, {"-address", socket}, false},
      {"half a shim", waits, {"-namespace", "k8s.io", "-id", "d", "-address"}, false},
  };
  std::vector<std::unique_ptr<testkit::Process>> processes;
  SystemFiles files;
  for (const Case& c : cases) {
    const std::string begun = folder.file("begun-" + std::to_string(processes.size()));
    std::vector<std::string> words = {"/bin/sh", "-c", c.script, begun};
    words.insert(words.end(), c.words.begin(), c.words.end());
    processes.push_back(std::make_unique<testkit::Process>(words));
    while (!files.exists(begun).value()) usleep(1000);
  }
  const auto ended = end_empty_shims(files, socket);
  ASSERT_TRUE(ended.ok());
  EXPECT_EQ(*ended, 1u);
  for (size_t i = 0; i < processes.size(); ++i) {
    SCOPED_TRACE(cases[i].name);
    EXPECT_EQ(ProcessHandle::open(processes[i]->pid())->has_ended(), cases[i].ends);
  }
  // Its child would outlive it.
  processes[1]->signal(SIGTERM);
  processes[1]->wait();
}

}  // namespace
}  // namespace proa::kubelet

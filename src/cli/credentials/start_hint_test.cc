#include "cli/credentials/start_hint.h"

#include <gtest/gtest.h>

#include "testkit/process.h"

namespace proa::cli {
namespace {

TEST(StartHint, NamesTheCommandThatMadeTheDirectory) {
  const testkit::TempDir folder;
  SystemFiles files;
  const auto add = [&](const std::string& directory, const std::string& name) {
    ASSERT_TRUE(files.make_dirs(folder.path() + directory, 0700).ok());
    ASSERT_TRUE(files.write_file_atomic(folder.path() + directory + name, "x", 0600).ok());
  };
  EXPECT_EQ(start_hint(files, folder.path()), "`proa up` or `proa server`");
  add("/kubelet/pki", "/authority.crt");
  EXPECT_EQ(start_hint(files, folder.path()), "`proa node`");
  add("/tls", "/authority.crt");
  EXPECT_EQ(start_hint(files, folder.path()), "`proa server`");
  add("/tls", "/kubelet.crt");
  EXPECT_EQ(start_hint(files, folder.path()), "`proa up`");
}

}  // namespace
}  // namespace proa::cli

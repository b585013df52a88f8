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
  EXPECT_EQ(runtime_start_hint(files, folder.path()), "`proa up` or `proa node`");
  add("/kubelet/pki", "/authority.crt");
  EXPECT_EQ(start_hint(files, folder.path()), "`proa node`");
  add("/tls", "/authority.crt");
  EXPECT_EQ(start_hint(files, folder.path()), "`proa server`");
  EXPECT_EQ(runtime_start_hint(files, folder.path()), "`proa node`") << "a server has no runtime";
  add("/tls", "/kubelet.crt");
  EXPECT_EQ(start_hint(files, folder.path()), "`proa up`");
  EXPECT_EQ(runtime_start_hint(files, folder.path()), "`proa up`");
}

TEST(NoAdminKubeconfig, KnowsOfTheClusterOfRoot) {
  const testkit::TempDir folder;
  SystemFiles files;
  const std::string theirs = folder.path() + "/theirs";
  EXPECT_EQ(no_admin_kubeconfig(files, "/nowhere", theirs).message(),
            "/nowhere/admin.kubeconfig does not exist; start `proa up` or `proa server`, or pass "
            "--data-dir");
  ASSERT_TRUE(files.make_dirs(theirs, 0700).ok());
  const auto hinted = no_admin_kubeconfig(files, "/nowhere", theirs);
  EXPECT_TRUE(hinted.message().ends_with("; for the cluster in " + theirs + " use sudo"));
  EXPECT_FALSE(no_admin_kubeconfig(files, theirs, theirs).message().ends_with("use sudo"));
  EXPECT_FALSE(no_admin_kubeconfig(files, "/nowhere", "").message().ends_with("use sudo"));
}

TEST(NoAdminKubeconfig, DoesNotSendAnybodyToStartANode) {
  const testkit::TempDir folder;
  SystemFiles files;
  ASSERT_TRUE(files.make_dirs(folder.path() + "/kubelet/pki", 0700).ok());
  ASSERT_TRUE(
      files.write_file_atomic(folder.path() + "/kubelet/pki/authority.crt", "x", 0600).ok());
  EXPECT_EQ(no_admin_kubeconfig(files, folder.path(), "").message(),
            folder.path() +
                "/admin.kubeconfig does not exist; this is a node of a cluster, and its server has "
                "that file");
}

}  // namespace
}  // namespace proa::cli

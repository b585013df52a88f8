#include "cli/node/leftovers.h"

#include <gtest/gtest.h>

namespace proa::cli {
namespace {

TEST(Leftovers, OnlyWhatProaPutThereIsItsOwn) {
  for (const char* name : {"store", "tls", "admin.kubeconfig", "kubelet", "containerd", "log",
                           "foreign-runtime", "checkpoint-abcdefghij", "store.before-restore-2026",
                           "admin.kubeconfig.before-restore-2026"}) {
    EXPECT_TRUE(is_own_file(name)) << name;
  }
  for (const char* name : {"", "photos", "store2", ".ssh", "etc", "containerd.backup", "restore"}) {
    EXPECT_FALSE(is_own_file(name)) << name;
  }
}

}  // namespace
}  // namespace proa::cli

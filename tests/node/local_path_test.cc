// Volumes of local-path storage: directories of the node that come and go with their claims.

#include "shared_cluster.h"

namespace proa::node_tests {
namespace {

using testing::HasSubstr;

class LocalPathTest : public SharedCluster {
 protected:
  static void claim(const std::string& name, const std::string& mode = "ReadWriteOnce") {
    cluster_->apply("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: " + name +
                    "}, spec: {accessModes: [" + mode +
                    "], resources: {requests: {storage: 20Mi}}}}");
  }
  // A user that is not root, with the claim at /it.
  static Fields as_user(const std::string& claim) {
    return {.container = "volumeMounts: [{name: it, mountPath: /it}]",
            .spec =
                "securityContext: {runAsUser: 1000, runAsGroup: 1000, fsGroup: 2000}, volumes: "
                "[{name: it, persistentVolumeClaim: {claimName: " +
                claim + "}}]"};
  }
  static std::string ask_claim(const std::string& name, const std::string& path) {
    return cluster_->ask("get pvc " + name + " -o jsonpath='{." + path + "}'");
  }
};

TEST_F(LocalPathTest, AVolumeIsInTheDataDirectoryUntilItsClaimIsDeleted) {
  claim("data");
  EXPECT_EQ(
      output_of("writer", "echo mine > /it/file && stat -c '%g %a' /it && stat -c %g /it/file",
                as_user("data")),
      "2000 2777\n2000");
  EXPECT_EQ(ask_claim("data", "status.capacity.storage"), "20Mi");
  const std::string volume = ask_claim("data", "spec.volumeName");
  EXPECT_EQ(
      cluster_->ask("get pv " + volume + " --no-headers -o custom-columns=:spec.capacity.storage"),
      "20Mi");
  const std::string path = cluster_->data_dir() + "/storage/" + volume;
  EXPECT_EQ(e2e::run_shell("cat " + path + "/file").text, "mine\n");
  EXPECT_EQ(output_of("reader", "cat /it/file", as_user("data")), "mine");
  EXPECT_TRUE(std::filesystem::exists(path)) << "it stays while the claim does";
  cluster_->ask("delete pod writer reader");
  cluster_->ask("delete pvc data");
  EXPECT_TRUE(cluster_->eventually("get pv " + volume + " --ignore-not-found", ""));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(LocalPathTest, DataIsKeptWhereThePolicySaysSo) {
  claim("kept");
  output_of("keeper", "echo mine > /it/file", as_user("kept"));
  const std::string volume = ask_claim("kept", "spec.volumeName");
  cluster_->ask("patch pv " + volume +
                R"( -p '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}')");
  cluster_->ask("delete pod keeper");
  cluster_->ask("delete pvc kept");
  EXPECT_TRUE(
      cluster_->eventually("get pv " + volume + " -o jsonpath={.status.phase}", "Released"));
  cluster_->ask("delete pv " + volume);
  const std::string path = cluster_->data_dir() + "/storage/" + volume + "/file";
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(LocalPathTest, SharedVolumesAreRefusedWithTheReason) {
  claim("shared", "ReadWriteMany");
  EXPECT_THAT(event("shared", "ProvisioningFailed"),
              HasSubstr("only the access modes ReadWriteOnce and ReadWriteOncePod are supported, "
                        "not ReadWriteMany"));
}

TEST_F(LocalPathTest, ABackupWithVolumesBringsThemBack) {
  claim("saved");
  ASSERT_TRUE(run("saver", as_user("saved")));
  cluster_->inside("saver", "echo before > /it/file; ln -s file /it/link; mkdir /it/deep");
  const std::string volume = ask_claim("saved", "spec.volumeName");
  const e2e::TemporaryFolder elsewhere;
  const std::string file = elsewhere.path() + "/backup";
  const std::string here = " --data-dir " + cluster_->data_dir();
  const e2e::Outcome plain = e2e::run_program("backup " + file + ".plain" + here);
  ASSERT_EQ(plain.code, 0) << plain.text;
  const e2e::Outcome taken = e2e::run_program("backup --volumes " + file + here);
  ASSERT_EQ(taken.code, 0) << taken.text;
  EXPECT_THAT(taken.text, HasSubstr(" volumes, "));
  cluster_->inside("saver", "echo after > /it/file");

  ASSERT_EQ(e2e::run_program("down --grace 1s" + here).code, 0);
  const e2e::Outcome objects =
      e2e::run_program("restore " + file + ".plain --data-dir " + elsewhere.path() + "/plain");
  ASSERT_EQ(objects.code, 0) << objects.text;
  EXPECT_THAT(objects.text, HasSubstr("Volume data is not in the backup"));
  const std::string path = cluster_->data_dir() + "/storage/" + volume;

  const e2e::Outcome restored = e2e::run_program("restore --force " + file + here);
  ASSERT_EQ(restored.code, 0) << restored.text;
  EXPECT_THAT(restored.text, HasSubstr(" volumes restored in "));
  EXPECT_EQ(
      e2e::run_shell("cat " + path + "/link; stat -c '%u:%g %a' " + path + "/file " + path).text,
      "before\n1000:2000 644\n0:2000 2777\n");

  // Where the volume was made is not where it is now.
  const std::string other = elsewhere.path() + "/other";
  const e2e::Outcome moved = e2e::run_program("restore " + file + " --data-dir " + other);
  ASSERT_EQ(moved.code, 0) << moved.text;
  EXPECT_EQ(e2e::run_shell("cat " + other + "/storage/" + volume + "/link").text, "before\n");
  cluster_->start();
}

}  // namespace
}  // namespace proa::node_tests

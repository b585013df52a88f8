#include "cli/node/join/node_kubeconfig.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "client/kubeconfig.h"
#include "crypto/authority.h"
#include "testkit/process.h"

namespace proa::cli {
namespace {

TEST(NodeKubeconfig, OtherCommandsSpeakAsTheNode) {
  const testkit::TempDir folder;
  SystemFiles files;
  const NodePaths place = node_paths(folder.path());
  EXPECT_FALSE(find_node_kubeconfig(files, place));
  ASSERT_TRUE(files.make_dirs(place.kubelet_root + "/pki", 0700).ok());
  crypto::CertificateTemplate wanted;
  wanted.common_name = "authority";
  wanted.not_after = SystemClock().now() + std::chrono::hours(1);
  const std::string authority = crypto::make_authority(wanted).value().certificate_pem;
  const std::string pair = "certificate and key";
  const std::string pki = place.kubelet_root + "/pki";
  ASSERT_TRUE(files.write_file_atomic(pki + "/authority.crt", authority, 0600).ok());
  ASSERT_TRUE(files.write_file_atomic(pki + "/kubelet-client-current.pem", pair, 0600).ok());
  ASSERT_TRUE(write_node_kubeconfig(files, place, "https://10.0.0.1:6443", "n1").ok());
  const auto found = find_node_kubeconfig(files, place);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->node_name, "n1");
  const auto connection = client::read_kubeconfig(files, found->path);
  ASSERT_TRUE(connection.ok()) << connection.status().message();
  EXPECT_EQ(connection->server, "https://10.0.0.1:6443");
  EXPECT_EQ(connection->authority_pem, authority);
  EXPECT_EQ(connection->certificate.private_key_pem, pair);
}

}  // namespace
}  // namespace proa::cli

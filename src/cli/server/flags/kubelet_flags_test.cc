#include "cli/server/flags/kubelet_flags.h"

#include <gtest/gtest.h>

#include "crypto/authority.h"
#include "testkit/process.h"

namespace proa::cli {
namespace {

using apiserver::KubeletTls;

class KubeletFlagsTest : public testing::Test {
 protected:
  Result<KubeletTlsOptions> read(const std::string& mode, const std::string& authority = "") {
    Settings settings;
    settings.set("kubelet-tls", mode);
    settings.set("kubelet-certificate-authority", authority);
    return read_kubelet_tls(settings, files_);
  }
  static std::string authority() {
    crypto::CertificateTemplate wanted;
    wanted.common_name = "others";
    wanted.not_after = Time(std::chrono::hours(1));
    return crypto::make_authority(wanted)->certificate_pem;
  }
  std::string write(const std::string& text) {
    const std::string path = folder_.path() + "/ca.crt";
    EXPECT_TRUE(files_.write_file_atomic(path, text, 0600).ok());
    return path;
  }

  testkit::TempDir folder_;
  SystemFiles files_;
};

TEST_F(KubeletFlagsTest, ChooseTheMode) {
  EXPECT_EQ(read("pin")->tls, KubeletTls::kPin);
  EXPECT_EQ(read("verify")->tls, KubeletTls::kVerify);
  EXPECT_EQ(read("skip")->tls, KubeletTls::kSkip);
}

TEST_F(KubeletFlagsTest, AnAuthorityMeansVerification) {
  const std::string others = authority();
  const auto options = read("pin", write(others));
  ASSERT_TRUE(options.ok()) << options.status().message();
  EXPECT_EQ(options->tls, KubeletTls::kVerify);
  EXPECT_EQ(options->more_authorities_pem, others);
}

TEST_F(KubeletFlagsTest, ChooseTheWayToPods) {
  const auto way = [](const std::string& word, bool is_node) {
    Settings settings;
    settings.set("pod-egress", word);
    return read_pod_egress(settings, is_node);
  };
  EXPECT_EQ(way("auto", true), apiserver::PodEgress::kDirect);
  EXPECT_EQ(way("auto", false), apiserver::PodEgress::kNodes);
  EXPECT_EQ(way("direct", false), apiserver::PodEgress::kDirect);
  EXPECT_EQ(way("nodes", true), apiserver::PodEgress::kNodes);
}

TEST_F(KubeletFlagsTest, RefuseWhatContradictsItself) {
  const std::string path = write(authority());
  EXPECT_NE(read("skip", path).status().message().find("mutually exclusive"), std::string::npos);
  EXPECT_NE(read("pin", "/no/such/file").status().message().find("--kubelet-certificate-authority"),
            std::string::npos);
  EXPECT_NE(read("pin", write("none")).status().message().find("contains no certificate"),
            std::string::npos);
}

}  // namespace
}  // namespace proa::cli

#include "cli/credentials/renewal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>

#include "cli/credentials/certificates.h"
#include "client/kubeconfig.h"
#include "crypto/certificate.h"
#include "http/server/certificate_files.h"
#include "testkit/fake_clock.h"
#include "testkit/process.h"

namespace proa::cli {
namespace {

using namespace std::chrono_literals;

constexpr Duration kDay = 24h;

class RenewalTest : public testing::Test {
 protected:
  // As a server starts.
  void start() {
    ASSERT_TRUE(ensure_certificates(files_, clock_, directory(), names_).ok());
    renewal_.emplace(files_, clock_,
                     Renewal::Options{.directory = directory(),
                                      .names = names_,
                                      .kubeconfig = kubeconfig(),
                                      .server = "https://127.0.0.1:6443",
                                      .clients_renewed = [this](const Certificates& now) {
                                        kubelet_client_ = now.kubelet_client_certificate_pem;
                                      }});
    EXPECT_TRUE(renewal_->poll());
    EXPECT_FALSE(renewal_->poll());
  }
  // Moves both clocks, as when the machine just runs.
  void pass(Duration time) {
    clock_.advance(time);
    EXPECT_TRUE(renewal_->poll());
  }

  std::string read(const std::string& path) { return files_.read_file(path, 1 << 20).value(); }
  std::string certificate(const std::string& name) {
    return read(directory() + "/" + name + ".crt");
  }
  bool good_now(const std::string& name, const std::vector<std::string>& names = {}) {
    const auto load = [&](const std::string& base) {
      return crypto::CertifiedKey{read(directory() + "/" + base + ".crt"),
                                  read(directory() + "/" + base + ".key")};
    };
    const auto pair = crypto::KeyPair::parse(load(name)).value();
    const auto authority = crypto::KeyPair::parse(load("authority")).value();
    return pair.certificate.is_signed_by(authority.key.public_key()) &&
           pair.certificate.not_after() > clock_.now() &&
           std::ranges::all_of(
               names, [&](const std::string& one) { return pair.certificate.covers(one); });
  }
  std::string directory() const { return folder_.path() + "/tls"; }
  std::string kubeconfig() const { return folder_.path() + "/admin.kubeconfig"; }

  testkit::TempDir folder_;
  SystemFiles files_;
  testkit::FakeClock clock_;
  const std::vector<std::string> names_ = {"localhost", "127.0.0.1"};
  std::string kubelet_client_;  // as announced
  std::optional<Renewal> renewal_;
};

TEST_F(RenewalTest, RenewsInTheLastMonth) {
  start();
  const std::string server = certificate("server");
  const std::string admin = certificate("admin");
  const std::string authority = certificate("authority");
  pass(330 * kDay);
  EXPECT_EQ(certificate("server"), server);
  pass(6 * kDay);
  EXPECT_NE(certificate("server"), server);
  EXPECT_NE(certificate("admin"), admin);
  EXPECT_EQ(certificate("authority"), authority);
  EXPECT_TRUE(good_now("server", names_));
}

// Nothing can be written.
class ReadOnlyFiles final : public Files {
 public:
  Result<std::string> read_file(const std::string& path, size_t limit) override {
    return files_.read_file(path, limit);
  }
  Result<void> write_file_atomic(const std::string& path, std::string_view, mode_t) override {
    return errno_status("writing " + path, EROFS);
  }
  Result<std::vector<std::string>> list(const std::string& path) override {
    return files_.list(path);
  }
  Result<void> make_dirs(const std::string& path, mode_t) override {
    return errno_status("cannot create directory " + path, EROFS);
  }
  Result<void> remove(const std::string& path) override {
    return errno_status("removing " + path, EROFS);
  }
  Result<bool> exists(const std::string& path) override { return files_.exists(path); }
  Result<FileDescriptor> open_beneath(const std::string& root, const std::string& path, int flags,
                                      mode_t mode) override {
    return files_.open_beneath(root, path, flags, mode);
  }

 private:
  SystemFiles files_;
};

TEST_F(RenewalTest, SaysWhenItFailedForWeeks) {
  start();
  ReadOnlyFiles read_only;
  Renewal failing(read_only, clock_,
                  Renewal::Options{.directory = directory(),
                                   .names = names_,
                                   .kubeconfig = kubeconfig(),
                                   .server = "https://127.0.0.1:6443"});
  EXPECT_TRUE(failing.health().ok()) << "nothing is known yet";
  for (const int day : {340, 15}) {
    clock_.advance(day * kDay);
    EXPECT_TRUE(failing.poll());
    EXPECT_TRUE(failing.health().ok()) << day;
  }
  clock_.advance(5 * kDay);
  EXPECT_NE(failing.health().status().message().find("/server.crt expires at 2027-"),
            std::string::npos)
      << failing.health().status().message();
  clock_.advance(6 * kDay);
  EXPECT_NE(failing.health().status().message().find(" expired at "), std::string::npos);
  EXPECT_TRUE(renewal_->poll());
  EXPECT_TRUE(renewal_->health().ok());
}

TEST_F(RenewalTest, NeverShowsOneThatIsOver) {
  start();
  for (int day = 0; day < 1000; day += 20) {
    pass(20 * kDay);
    ASSERT_TRUE(good_now("server", names_)) << day;
    ASSERT_TRUE(good_now("admin")) << day;
  }
}

TEST_F(RenewalTest, TheKubeconfigGetsTheNewCertificate) {
  start();
  const auto shown = [&] {
    return client::read_kubeconfig(files_, kubeconfig()).value().certificate.certificate_pem;
  };
  EXPECT_EQ(shown(), certificate("admin"));
  pass(340 * kDay);
  EXPECT_EQ(shown(), certificate("admin"));
  EXPECT_EQ(std::filesystem::status(kubeconfig()).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const auto connection = client::read_kubeconfig(files_, kubeconfig()).value();
  EXPECT_EQ(connection.server, "https://127.0.0.1:6443");
  EXPECT_EQ(connection.authority_pem, certificate("authority"));
}

TEST_F(RenewalTest, AnnouncesANewClientCertificateForKubelets) {
  start();
  EXPECT_EQ(kubelet_client_, "");
  pass(kDay * 340);
  EXPECT_EQ(kubelet_client_, certificate("apiserver-kubelet-client"));
  EXPECT_TRUE(good_now("apiserver-kubelet-client"));
}

TEST_F(RenewalTest, LeavesAKubeconfigAloneWhoseCertificateIsGood) {
  start();
  const std::string changed = read(kubeconfig()) + "# mine\n";
  ASSERT_TRUE(files_.write_file_atomic(kubeconfig(), changed, 0600).ok());
  pass(kDay);
  EXPECT_EQ(read(kubeconfig()), changed);
}

TEST_F(RenewalTest, AServerThatRunsShowsTheNewOne) {
  start();
  http::Loop loop;
  const auto followed = http::CertificateFiles::open(
      loop, files_, {directory() + "/server.crt", directory() + "/server.key"}, {});
  ASSERT_TRUE(followed.ok()) << followed.status().message();
  const auto before = (*followed)->source().get();
  pass(340 * kDay);
  while ((*followed)->source().get() == before) std::this_thread::yield();
}

TEST_F(RenewalTest, ADateThatIsSetLateIsSeen) {
  const Time today = clock_.now();
  clock_.set_calendar(Time(5s));
  start();
  EXPECT_TRUE(good_now("server", names_));
  const std::string made_in_1970 = certificate("server");
  const std::string authority = certificate("authority");
  clock_.set_calendar(today);
  EXPECT_TRUE(renewal_->poll());
  EXPECT_NE(certificate("server"), made_in_1970);
  EXPECT_TRUE(good_now("server", names_));
  EXPECT_TRUE(good_now("admin"));
  // The authority was made in 1970, too, and is good for ever.
  EXPECT_EQ(certificate("authority"), authority);
  EXPECT_TRUE(good_now("authority"));
}

TEST_F(RenewalTest, ADateThatIsSetBackIsSeenToo) {
  start();
  const std::string made = certificate("server");
  clock_.set_calendar(clock_.now() - 100 * kDay);
  EXPECT_TRUE(renewal_->poll());
  EXPECT_NE(certificate("server"), made);
}

TEST_F(RenewalTest, LooksOnceADay) {
  start();
  clock_.advance(kDay - 1s);
  EXPECT_FALSE(renewal_->poll());
  // Small corrections of the clock are none.
  clock_.set_calendar(clock_.now() + 30s);
  EXPECT_FALSE(renewal_->poll());
  clock_.advance(1s);
  EXPECT_TRUE(renewal_->poll());
}

TEST_F(RenewalTest, TriesAgainSoonWhenItFails) {
  start();
  const std::string made = certificate("server");
  const std::string key = read(directory() + "/authority.key");
  ASSERT_TRUE(files_.write_file_atomic(directory() + "/authority.key", "garbage", 0600).ok());
  pass(340 * kDay);
  EXPECT_EQ(certificate("server"), made);
  ASSERT_TRUE(files_.write_file_atomic(directory() + "/authority.key", key, 0600).ok());
  pass(1h);
  EXPECT_NE(certificate("server"), made);
}

TEST_F(RenewalTest, DoesSoByItself) {
  start();
  ASSERT_TRUE(files_.remove(kubeconfig()).ok());
  const Time today = clock_.now();
  renewal_->start();
  // A date that was set is seen within some seconds.
  clock_.await_waiters(1);
  clock_.set_calendar(today + 400 * kDay);
  while (!files_.exists(kubeconfig()).value()) {
    clock_.await_waiters(1);
    clock_.advance(1s);
  }
  EXPECT_TRUE(good_now("server", names_));
  renewal_.reset();
}

}  // namespace
}  // namespace proa::cli

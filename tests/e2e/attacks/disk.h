#pragma once

#include <gtest/gtest.h>

#include <thread>

#include "attack.h"
#include "tests/e2e/small_mount.h"
#include "tests/e2e/token_client.h"

namespace proa::e2e {

// Attacks that use up the disk. What the server says then is checked: writes are refused with the
// reason, and /readyz knows it.
class FullDiskAttack : public Attack {
 public:
  FullDiskAttack(const std::string& data_dir, int port) : client_(data_dir, port, kHostileToken) {}
  ~FullDiskAttack() override {
    EXPECT_TRUE(said_why_ || refused_ <= 5) << "writes were refused, and /readyz was silent";
  }

 protected:
  // Returns whether the object is stored.
  bool create(const std::string& name, size_t size) {
    const auto response = client_.send("POST", kMaps, large_map(name, size, 'd'));
    if (!response.ok()) return false;
    if (response->status == 507 || response->status == 503) {
      ++refused_;
      EXPECT_NE(response->body.view().find("\"message\":\""), std::string_view::npos);
      if (response->status == 507) {
        EXPECT_NE(response->body.view().find("disk"), std::string_view::npos) << text_of(response);
      }
      const auto ready = client_.send("GET", "/readyz");
      said_why_ |= ready.ok() && ready->status == 500 &&
                   ready->body.view().find("[-]disk-space failed") != std::string_view::npos;
    }
    return response->status == 201;
  }

  TokenClient client_;

 private:
  int refused_ = 0;
  bool said_why_ = false;
};

// Large objects until no more are accepted. They are deleted at the end: deletes are accepted.
class ManyObjects final : public FullDiskAttack {
 public:
  using FullDiskAttack::FullDiskAttack;
  ~ManyObjects() override {
    for (int i = 0; i < count_; ++i) {
      const auto response = client_.send_again_if_cut_off("DELETE", kMaps + ("/" + name(i)));
      // Another attack may have used up the reserve.
      EXPECT_TRUE(!response.ok() || response->status == 200 || response->status == 507)
          << text_of(response);
    }
  }
  void step() override {
    if (create(name(count_), 900'000)) {
      ++count_;
    } else {
      std::this_thread::sleep_for(100ms);  // as a client that tries again
    }
  }

 private:
  static std::string name(int number) { return "filler-" + std::to_string(number); }

  int count_ = 0;
};

// A file of another program that takes all of the disk.
class ForeignFile final : public FullDiskAttack {
 public:
  ForeignFile(const std::string& data_dir, int port, const SmallMount& disk)
      : FullDiskAttack(data_dir, port), disk_(disk) {}
  ~ForeignFile() override {
    disk_.free();
    client_.ask("DELETE", std::string(kMaps) + "/beside");
  }
  void step() override {
    disk_.fill();
    if (create("beside", 20'000)) client_.ask("DELETE", std::string(kMaps) + "/beside");
    std::this_thread::sleep_for(50ms);  // as a client that tries again
  }

 private:
  const SmallMount& disk_;
};

}  // namespace proa::e2e

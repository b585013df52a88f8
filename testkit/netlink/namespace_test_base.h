#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/threads/deadline.h"
#include "netlink/netns.h"

namespace proa::testkit {

// Tests that change links, routes or rules: each has a network namespace of its own, which the
// kernel removes with it. Skipped where namespaces are not permitted.
class NamespaceTest : public ::testing::Test {
 protected:
  void SetUp() override;

  // Another namespace, for the other end of a link.
  static std::unique_ptr<netlink::NetworkNamespace> make_namespace();

  // Calls `body` on a thread in the namespace.
  static void inside(const netlink::NetworkNamespace& place, const std::function<void()>& body);
  void inside(const std::function<void()>& body) const { inside(*namespace_, body); }

  // Runs a program of the system in the namespace of the calling thread, and returns what it
  // prints; it must succeed.
  std::string shell(const std::string& command);

  // Sends a datagram from one namespace to an address of another. Returns the source that the
  // receiver sees, "" if nothing arrives within two seconds. `bytes`: of the payload.
  static std::string seen_source(const netlink::NetworkNamespace& from,
                                 const netlink::NetworkNamespace& to, const std::string& address,
                                 size_t bytes = 1);

  // Long enough for the kernel.
  Until soon() const { return Until::after(clock_, std::chrono::seconds(10)); }

  SystemClock clock_;
  std::unique_ptr<netlink::NetworkNamespace> namespace_;
};

}  // namespace proa::testkit

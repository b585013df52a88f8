#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "netlink/nft/forward_chains.h"
#include "netlink/socket.h"
#include "network/forward/forward_text.h"
#include "network/model/options.h"

namespace proa::network {

// Firewalls of this machine that drop by default what pods send, as Docker and ufw set them up
// (iptables -P FORWARD DROP, -P INPUT DROP): where iptables is in use, chains of ours in its table
// filter accept forwarded packets of pods, and those to the DNS of this node. No table is made
// where there is none: nobody drops by it. Used by one thread, in the network namespace of the
// thread that opens it.
class ForwardRules {
 public:
  // REQUIRES: `clock` outlives it.
  static Result<ForwardRules> open(const NetworkOptions& options, Clock& clock);

  // Makes our chains those of `wanted`. Returns what users should know: firewalls whose chains of
  // nf_tables drop packets, which no other table can prevent, and failures of iptables(8).
  Result<std::vector<std::string>> set(const Forwarding& wanted);
  Result<void> remove();

  // Whether there are tables of iptables of the older kind, whose changes the kernel does not
  // report. set() looks at them every time.
  static bool has_unreported();
  // Readable when others have changed rules of nf_tables.
  int descriptor() const { return listener_.descriptor(); }
  // Reads the reports. True if set() has something to do.
  bool disturbed();

 private:
  // One of the two kinds of iptables, for one IP family and one of its chains.
  struct Backend {
    bool v6 = false;
    bool legacy = false;
    Hook hook = Hook::kForward;
    // What was written last, and how iptables-save prints it.
    Forwarding written = {};
    std::string known = {};
    std::string failed = {};
  };

  ForwardRules(const NetworkOptions& options, netlink::Socket socket, netlink::Socket listener,
               Clock& clock);
  Until deadline() const;
  bool in_use(const Backend& backend) const;
  Result<void> write(Backend& backend, const Forwarding& wanted);
  Result<bool> has_chain(const Backend& backend);
  std::vector<std::string> warnings(const Forwarding& wanted) const;
  // Of a chain of another firewall; empty if it lets pass what is wanted.
  std::string warning_about(const netlink::nft::ForwardChain& chain,
                            const Forwarding& wanted) const;

  NetworkOptions options_;
  netlink::Socket socket_;
  netlink::Socket listener_;
  Clock* clock_;
  bool usable_ = true;  // the kernel has nf_tables
  bool stale_ = true;   // what follows is to be read again
  std::vector<netlink::nft::ForwardChain> chains_;
  std::array<Backend, 8> backends_;
};

}  // namespace proa::network

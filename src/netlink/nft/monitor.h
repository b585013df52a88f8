#pragma once

#include <vector>

#include "netlink/nft/ruleset.h"
#include "netlink/socket.h"

namespace proa::netlink::nft {

// Notices when others change our tables. Used by one thread at a time.
class Monitor {
 public:
  // Changes that this process makes are not reported. REQUIRES: `clock` outlives it.
  static Result<Monitor> open(std::vector<TableName> tables, Clock& clock);

  // Readable when somebody else has changed some table.
  int descriptor() const { return socket_.descriptor(); }
  // Reads the reports, without waiting. True if others changed one of the tables, or if reports
  // were lost.
  bool disturbed();

 private:
  Monitor(std::vector<TableName> tables, Socket socket, Clock& clock)
      : tables_(std::move(tables)), socket_(std::move(socket)), clock_(&clock) {}

  std::vector<TableName> tables_;
  Socket socket_;
  Clock* clock_;
};

}  // namespace proa::netlink::nft

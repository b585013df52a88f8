#pragma once

#include <memory>
#include <string>

#include "base/files.h"
#include "base/random.h"
#include "base/result.h"
#include "base/threads/pool.h"
#include "http/net/loop.h"
#include "http/server/exchange.h"
#include "http/server/server.h"
#include "store/store.h"

namespace proa::cli {

// Where the socket of a data directory is, by a path that the kernel takes however long the
// directory's own is: it goes through an open descriptor.
class ControlPath {
 public:
  static Result<ControlPath> open(const std::string& data_dir);

  const std::string& path() const { return path_; }
  // Whether a server listens there.
  Result<bool> answers() const;

 private:
  ControlPath(FileDescriptor directory, std::string data_dir);

  FileDescriptor directory_;
  std::string data_dir_;
  std::string path_;
};

// The socket on which a running server takes orders from the programs of this machine. One so far:
// POST /checkpoint makes a copy of the store and answers {"path": ...}, below the data directory
// (the two processes may have different names for that one). The copy is there for as long as the
// answer is: who asked closes the connection when he has read it, or when he is killed.
//
// Who may ask: who may write to the socket, which is of mode 0600 in a directory of mode 0700; so
// the owner of the data directory and root. That is what the file system checks, and it needs no
// further word from us.
class ControlSocket final : private http::Handler {
 public:
  // REQUIRES: store and random outlive it.
  static Result<std::unique_ptr<ControlSocket>> open(const std::string& data_dir,
                                                     store::Store& store, Random& random);
  // Ends the answers, and with them the copies.
  ~ControlSocket() override;

 private:
  ControlSocket(ControlPath where, std::string data_dir, store::Store& store, Random& random);
  void handle(http::ExchangePtr exchange) override;
  void checkpoint(http::Exchange& exchange);

  const ControlPath where_;
  const std::string data_dir_;
  store::Store& store_;
  Random& random_;
  // The server goes first, which ends the answers; then the threads that wait for that; then the
  // loop that tells them. Its own, so that this needs nothing of the API's.
  http::LoopGroup loops_{1};
  WorkerPool pool_;
  http::Server server_;
};

}  // namespace proa::cli

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

// The control socket of a data directory. Its path goes through an open descriptor, so that the
// length of the directory's path does not matter.
class ControlPath {
 public:
  static Result<ControlPath> open(const std::string& data_dir);

  const std::string& path() const { return path_; }
  // Whether a server listens on it.
  Result<bool> answers() const;

 private:
  ControlPath(FileDescriptor directory, std::string data_dir);

  FileDescriptor directory_;
  std::string data_dir_;
  std::string path_;
};

// The control socket of a running server. POST /checkpoint makes a checkpoint of the store and
// answers {"path": ...}, relative to the data directory (the two processes may see it under
// different names). The checkpoint exists as long as the response is open: it is removed when the
// caller closes the connection or is killed. POST /reencrypt encrypts all values again
// (Store::reencode), and answers with lines of JSON: its progress, at last {"done": true} or
// {"error": ...}. It stops when the caller closes the connection.
//
// Access is controlled by the file system: the socket has mode 0600 in a directory of mode 0700, so
// only the owner of the data directory and root can connect.
class ControlSocket final : private http::Handler {
 public:
  // REQUIRES: store and random outlive it.
  static Result<std::unique_ptr<ControlSocket>> open(const std::string& data_dir,
                                                     store::Store& store, Random& random);
  // Ends open responses, and with them the checkpoints.
  ~ControlSocket() override;

 private:
  ControlSocket(ControlPath where, std::string data_dir, store::Store& store, Random& random);
  void handle(http::ExchangePtr exchange) override;
  void checkpoint(http::Exchange& exchange);
  void reencrypt(http::Exchange& exchange);

  const ControlPath where_;
  const std::string data_dir_;
  store::Store& store_;
  Random& random_;
  // Destruction order: the server first, which ends the responses; then the threads that wait for
  // that; then the loop, which is separate from the API's.
  http::LoopGroup loops_{1};
  WorkerPool pool_;
  http::Server server_;
};

}  // namespace proa::cli

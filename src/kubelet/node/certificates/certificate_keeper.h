#pragma once

#include <functional>
#include <thread>

#include "crypto/certificate.h"
#include "kubelet/node/certificates/node_certificates.h"

namespace proa::kubelet {

// Rotates one certificate of a node: requests a new one in time and replaces the file. One thread
// of its own, which sleeps until then.
class CertificateKeeper {
 public:
  struct Context {
    client::Client& client;  // authenticated as the node
    const api::Schema& schema;
    Clock& clock;
    Random& random;
    Files& files;
    api::NodeName node_name = {};
    std::string path = {};
    SigningWish wish = {};
    // Called on its thread after a new certificate was written. May be null.
    std::function<void(const crypto::CertifiedKey&)> renewed = {};
  };
  // Everything outlives it.
  explicit CertificateKeeper(Context context) : context_(std::move(context)) {}
  ~CertificateKeeper() { stop(); }
  CertificateKeeper(const CertificateKeeper&) = delete;
  CertificateKeeper& operator=(const CertificateKeeper&) = delete;

  void start();
  void stop();

 private:
  void run(const std::stop_token& stop) EXCLUDES(mutex_);
  // When a new one is needed: now, if there is none or it does not fit.
  Time due() const;
  // False if it was stopped first.
  bool wait_until(Time due, const std::stop_token& stop) EXCLUDES(mutex_);
  Result<void> renew(const std::stop_token& stop);

  const Context context_;
  Mutex mutex_;
  CondVar changed_;
  std::jthread thread_;
};

}  // namespace proa::kubelet

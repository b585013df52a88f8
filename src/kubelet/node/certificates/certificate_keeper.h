#pragma once

#include <functional>
#include <thread>

#include "crypto/certificate.h"
#include "kubelet/node/certificates/node_certificates.h"

namespace proa::kubelet {

// Keeps one certificate of a node in force: has a new one signed in time and writes it where the
// old one lies. One thread of its own, which sleeps until then.
class CertificateKeeper {
 public:
  struct Context {
    client::Client& client;  // as the node itself
    const api::Schema& schema;
    Clock& clock;
    Random& random;
    Files& files;
    std::string node_name = {};
    std::string path = {};
    SigningWish wish = {};
    // Called on its thread, after a new one was written. May be null.
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
  // When a new one is needed: now, where there is none, or one that does not fit.
  Time due() const;
  // False when it was stopped before.
  bool wait_until(Time due, const std::stop_token& stop) EXCLUDES(mutex_);
  Result<void> renew(const std::stop_token& stop);

  const Context context_;
  Mutex mutex_;
  CondVar changed_;
  std::jthread thread_;
};

}  // namespace proa::kubelet

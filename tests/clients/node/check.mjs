// Talks to the server of $KUBECONFIG as npm's @kubernetes/client-node does, and says what is wrong.
import assert from 'node:assert/strict';
import * as k8s from '@kubernetes/client-node';

const namespace = 'node';
const config = new k8s.KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(k8s.CoreV1Api);
const apps = config.makeApiClient(k8s.AppsV1Api);

const configMap = (name, labels = {}) => ({ metadata: { name, labels }, data: { name } });
const deployment = (name) => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'busybox' }] },
    },
  },
});
const fails = async (code, promise) => assert.rejects(promise, (error) => (assert.equal(error.code, code), true));

async function objects() {
  const made = await apps.createNamespacedDeployment({ namespace, body: deployment('web') });
  assert.equal(made.spec.replicas, 1);
  assert.ok(made.metadata.creationTimestamp instanceof Date);
  const read = await apps.readNamespacedDeployment({ namespace, name: 'web' });
  assert.deepEqual(read, made);
  read.spec.replicas = 2;
  const changed = await apps.replaceNamespacedDeployment({ namespace, name: 'web', body: read });
  assert.equal(changed.metadata.generation, 2);
  await fails(409, apps.replaceNamespacedDeployment({ namespace, name: 'web', body: read }));
  await fails(404, core.readNamespacedConfigMap({ namespace, name: 'nothing' }));
  await fails(422, core.createNamespacedConfigMap({ namespace, body: configMap('Wrong_Name') }));
  const scale = await apps.readNamespacedDeploymentScale({ namespace, name: 'web' });
  assert.equal(scale.spec.replicas, 2);
  const gone = await apps.deleteNamespacedDeployment({ namespace, name: 'web' });
  assert.equal(gone.status, 'Success');
}

async function patches() {
  await apps.createNamespacedDeployment({ namespace, body: deployment('patched') });
  const patch = (strategy, body) =>
    apps.patchNamespacedDeployment(
      { namespace, name: 'patched', body },
      k8s.setHeaderOptions('Content-Type', strategy),
    );
  const merged = await patch(k8s.PatchStrategy.StrategicMergePatch, {
    spec: { template: { spec: { containers: [{ name: 'side', image: 'side' }] } } },
  });
  assert.equal(merged.spec.template.spec.containers.length, 2);
  assert.equal((await patch(k8s.PatchStrategy.MergePatch, { spec: { replicas: 3 } })).spec.replicas, 3);
  const listed = await patch(k8s.PatchStrategy.JsonPatch, [{ op: 'replace', path: '/spec/replicas', value: 4 }]);
  assert.equal(listed.spec.replicas, 4);
}

async function pages() {
  for (let i = 10; i < 35; i++) {
    await core.createNamespacedConfigMap({ namespace, body: configMap(`page-${i}`, { paged: 'yes' }) });
  }
  const names = [];
  let _continue;
  let count = 0;
  do {
    const page = await core.listNamespacedConfigMap({ namespace, labelSelector: 'paged', limit: 10, _continue });
    names.push(...page.items.map((item) => item.metadata.name));
    _continue = page.metadata._continue;
    count++;
  } while (_continue);
  assert.deepEqual(names, Array.from({ length: 25 }, (_, i) => `page-${i + 10}`));
  assert.equal(count, 3);
}

async function informer() {
  await core.createNamespacedConfigMap({ namespace, body: configMap('before', { watched: 'yes' }) });
  const heard = [];
  let wake = () => {};
  const made = k8s.makeInformer(
    config,
    `/api/v1/namespaces/${namespace}/configmaps`,
    () => core.listNamespacedConfigMap({ namespace, labelSelector: 'watched' }),
    'watched',
  );
  for (const verb of ['add', 'update', 'delete', 'error']) {
    made.on(verb, (object) => {
      heard.push(`${verb} ${object.metadata?.name ?? object}`);
      wake();
    });
  }
  const hear = async (what) => {
    while (!heard.includes(what)) {
      await new Promise((resolve, reject) => {
        const tooLate = setTimeout(() => reject(new Error(`never heard "${what}", but ${heard}`)), 20000);
        wake = () => (clearTimeout(tooLate), resolve());
      });
    }
  };
  await made.start();
  await hear('add before');
  await core.createNamespacedConfigMap({ namespace, body: configMap('after', { watched: 'yes' }) });
  await hear('add after');
  await core.patchNamespacedConfigMap(
    { namespace, name: 'after', body: { data: { a: 'b' } } },
    k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.MergePatch),
  );
  await hear('update after');
  await core.deleteNamespacedConfigMap({ namespace, name: 'before' });
  await hear('delete before');
  assert.deepEqual(made.list().map((object) => object.metadata.name), ['after']);
  await made.stop();
}

async function watching() {
  const list = await core.listNamespacedConfigMap({ namespace });
  const events = [];
  await core.createNamespacedConfigMap({ namespace, body: configMap('seen') });
  await core.deleteNamespacedConfigMap({ namespace, name: 'seen' });
  await new Promise((resolve, reject) => {
    new k8s.Watch(config).watch(
      `/api/v1/namespaces/${namespace}/configmaps`,
      { resourceVersion: list.metadata.resourceVersion, timeoutSeconds: 1 },
      (type, object) => events.push(`${type} ${object.metadata.name}`),
      (error) => (error ? reject(error) : resolve()),
    );
  });
  assert.deepEqual(events, ['ADDED seen', 'DELETED seen']);
}

async function withoutTypes() {
  const client = k8s.KubernetesObjectApi.makeApiClient(config);
  const body = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'made', namespace }, spec: { ports: [{ port: 80 }] } };
  const made = await client.create(body);
  assert.match(made.spec.clusterIP, /^10\./);
  const patched = await client.patch({ ...body, metadata: { ...body.metadata, labels: { a: 'b' } } });
  assert.deepEqual(patched.metadata.labels, { a: 'b' });
  await client.delete(body);
  assert.equal((await config.makeApiClient(k8s.VersionApi).getCode()).minor, '36');
}

await core.createNamespace({ body: { metadata: { name: namespace } } });
let failed = false;
for (const check of [objects, patches, pages, informer, watching, withoutTypes]) {
  try {
    await check();
    console.log(`ok   ${check.name}`);
  } catch (error) {
    failed = true;
    console.log(`FAIL ${check.name}: ${error.stack}`);
  }
}
process.exit(failed ? 1 : 0);

// Drives what the JavaScript client offers beyond plain requests. Prints "ok NAME" or "FAIL NAME: reason" for each.
import assert from 'node:assert/strict';
import * as k8s from '@kubernetes/client-node';

const namespace = 'javascript-features';
const config = new k8s.KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(k8s.CoreV1Api);
const apps = config.makeApiClient(k8s.AppsV1Api);
const batch = config.makeApiClient(k8s.BatchV1Api);

const labelled = (name) => ({ metadata: { name, namespace, labels: { suite: name } }, data: { value: '1' } });
const fails = async (code, promise) => assert.rejects(promise, (error) => (assert.equal(error.code, code), true));
const eventually = async (what, holds) => {
  for (let turn = 0; turn < 200; turn++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`not in time: ${what}`);
};

async function patchNamespace() {
  const body = [{ op: 'replace', path: '/metadata/labels', value: { foo: 'bar' } }];
  const patched = await core.patchNamespace({ name: namespace, body });
  assert.equal(patched.metadata.labels.foo, 'bar');
  assert.equal(patched.metadata.labels['kubernetes.io/metadata.name'], namespace);
}

async function serverSideApply() {
  const apply = (value, fieldManager, force) =>
    core.patchNamespacedConfigMap(
      { name: 'applied', namespace, fieldManager, force, body: { apiVersion: 'v1', kind: 'ConfigMap', ...labelled('applied'), data: { value } } },
      k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.ServerSideApply),
    );
  await apply('1', 'one');
  await fails(409, apply('2', 'two'));
  assert.equal((await apply('2', 'two', true)).data.value, '2');
}

async function anyObjects() {
  const client = k8s.KubernetesObjectApi.makeApiClient(config);
  const group = 'javascript.example.invalid';
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: `things.${group}` },
    spec: {
      group, scope: 'Namespaced', names: { plural: 'things', singular: 'thing', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema: {
        type: 'object', properties: { spec: { type: 'object', required: ['size'], properties: { size: { type: 'integer' } } } } } } }],
    },
  };
  await client.create(definition);
  await eventually('the definition is established', async () =>
    (await client.read(definition)).status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True'));
  const thing = { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 'a', namespace }, spec: { size: 1 } };
  await client.create(thing);
  await fails(422, client.create({ ...thing, metadata: { name: 'b', namespace }, spec: {} }));
  const changed = await client.patch({ ...thing, spec: { size: 2 } }, undefined, undefined, undefined, undefined, k8s.PatchStrategy.MergePatch);
  assert.equal(changed.spec.size, 2);
  assert.equal((await client.list(`${group}/v1`, 'Thing', namespace)).items.length, 1);
  const custom = config.makeApiClient(k8s.CustomObjectsApi);
  const listed = await custom.listClusterCustomObject({ group, version: 'v1', plural: 'things' });
  assert.equal(listed.items[0].spec.size, 2);
  await client.delete(thing);
  await client.delete(definition);
}

async function informerReconnects() {
  const added = [];
  let connects = 0;
  const made = k8s.makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`,
    () => core.listNamespacedConfigMap({ namespace, labelSelector: 'again' }), 'again');
  made.on('add', (object) => added.push(object.metadata.name));
  made.on('connect', () => connects++);
  made.on('error', () => setTimeout(() => made.start(), 100));
  await made.start();
  await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'again-1', labels: { again: 'yes' } } } });
  await eventually('the first', () => added.includes('again-1'));
  await made.stop();
  await made.start();
  await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'again-2', labels: { again: 'yes' } } } });
  await eventually('the second', () => added.includes('again-2'));
  assert.ok(connects >= 2);
  await made.stop();
}

async function watchFromOldRevision() {
  const ended = await new Promise((resolve) => {
    new k8s.Watch(config).watch(`/api/v1/namespaces/${namespace}/configmaps`, { resourceVersion: '1', timeoutSeconds: 2 },
      (type, object) => (type === 'ERROR' ? resolve(object.code) : undefined), (error) => resolve(error ? (error.statusCode ?? error.code ?? error.message) : 'ended'));
  });
  assert.ok([410, 'ended'].includes(ended), `${ended}`);
}

async function workloads() {
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
  await apps.createNamespacedDeployment({ namespace, body: { metadata: { name: 'web' }, spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template } } });
  await eventually('pods', async () => (await core.listNamespacedPod({ namespace, labelSelector: 'app=web' })).items.length === 2);
  await batch.createNamespacedJob({ namespace, body: { metadata: { name: 'job' }, spec: { suspend: true, template: { spec: { restartPolicy: 'Never', containers: template.spec.containers } } } } });
  await eventually('the job is suspended', async () =>
    (await batch.readNamespacedJob({ name: 'job', namespace })).status.conditions?.some((one) => one.type === 'Suspended'));
  await apps.deleteNamespacedDeployment({ name: 'web', namespace, propagationPolicy: 'Foreground' });
  await eventually('the end', async () => apps.readNamespacedDeployment({ name: 'web', namespace }).then(() => false, (error) => error.code === 404));
  assert.equal((await core.listNamespacedPod({ namespace, labelSelector: 'app=web' })).items.length, 0);
}

async function accounts() {
  await core.createNamespacedServiceAccount({ namespace, body: { metadata: { name: 'reader' } } });
  const request = await core.createNamespacedServiceAccountToken({ name: 'reader', namespace, body: { spec: { audiences: [], expirationSeconds: 600 } } });
  const own = new k8s.KubeConfig();
  own.loadFromClusterAndUser(config.getCurrentCluster(), { name: 'reader', token: request.status.token });
  const review = await own.makeApiClient(k8s.AuthenticationV1Api).createSelfSubjectReview({ body: {} });
  assert.equal(review.status.userInfo.username, `system:serviceaccount:${namespace}:reader`);
  await fails(403, own.makeApiClient(k8s.CoreV1Api).listNamespacedSecret({ namespace }));
}

async function healthAndMetrics() {
  const health = new k8s.Health(config);
  assert.equal(await health.readyz({}), true);
  assert.equal(await health.livez({}), true);
  assert.match((await config.makeApiClient(k8s.VersionApi).getCode()).gitVersion, /^v1\.36\./);
  await k8s.topPods(core, { getPodMetrics: async () => ({ items: [] }) }, namespace);
  const groups = await config.makeApiClient(k8s.ApisApi).getAPIVersions();
  assert.ok(groups.groups.some((group) => group.name === 'apps'));
}

async function everyKind() {
  for (const [api, kinds] of [[k8s.AppsV1Api, ['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'ControllerRevision']],
    [k8s.BatchV1Api, ['Job', 'CronJob']], [k8s.NetworkingV1Api, ['Ingress', 'NetworkPolicy']], [k8s.PolicyV1Api, ['PodDisruptionBudget']],
    [k8s.CoreV1Api, ['Pod', 'Service', 'Endpoints', 'Secret', 'LimitRange', 'ResourceQuota']], [k8s.DiscoveryV1Api, ['EndpointSlice']],
    [k8s.AutoscalingV2Api, ['HorizontalPodAutoscaler']], [k8s.CoordinationV1Api, ['Lease']], [k8s.RbacAuthorizationV1Api, ['Role', 'RoleBinding']]]) {
    const client = config.makeApiClient(api);
    for (const kind of kinds) assert.ok(Array.isArray((await client[`list${kind}ForAllNamespaces`]()).items), kind);
  }
}

await core.createNamespace({ body: { metadata: { name: namespace } } });
for (const check of [patchNamespace, serverSideApply, anyObjects, informerReconnects, watchFromOldRevision, workloads, accounts,
  healthAndMetrics, everyKind]) {
  try {
    await check();
    console.log(`ok ${check.name}`);
  } catch (error) {
    console.log(`FAIL ${check.name}: ${String(error.stack).replace(/\s+/g, ' ').slice(0, 700)}`);
  }
}
process.exit(0);

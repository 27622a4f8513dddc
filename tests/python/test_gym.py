"""Environments: Gymnasium's protocol, the same episodes for a seed and any number of threads, and policies that do what they should."""

import unittest

import jounce
import jounce.gym
import numpy as np


def play(env, policy, steps, seed):
    observations, info = env.reset(seed=seed)
    seen, rewards = [observations], []
    for _ in range(steps):
        observations, reward, terminated, truncated, info = env.step(policy(observations))
        seen.append(observations)
        rewards.append(reward)
    return np.array(seen), np.array(rewards)


class Protocol(unittest.TestCase):
    def test_shapes(self):
        for name, n in (("CartPole", 3), ("Athena", 2), ("Charmie", 1)):
            env = jounce.gym.make_vec(name, n, threads=2)
            observations, info = env.reset(seed=0)
            self.assertEqual(observations.shape, (n, *env.single_observation_space.shape))
            self.assertTrue(np.isfinite(observations).all() and observations.dtype == np.float32 and info == {})
            action = env.action_space.sample()
            self.assertTrue(env.action_space.contains(action))
            observations, reward, terminated, truncated, info = env.step(action)
            self.assertEqual((observations.shape, reward.shape, terminated.shape, truncated.shape, terminated.dtype),
                             (env.observation_space.shape, (n,), (n,), (n,), np.dtype(bool)))
            for wrong in (action[:, 1:], np.full_like(action, np.nan), "x"):
                with self.assertRaises(ValueError):
                    env.step(wrong)
            env.close()

    def test_seeds(self):
        policy = np.random.default_rng(3).normal(size=(4, 1))
        runs = [play(jounce.gym.make_vec("CartPole", 5, threads=t), lambda o: o @ policy, 60, seed) for t, seed in ((1, 7), (3, 7), (1, 8))]
        np.testing.assert_array_equal(runs[0][0], runs[1][0])
        self.assertFalse(np.array_equal(runs[0][0], runs[2][0]))
        self.assertEqual(len(np.unique(runs[0][0][0], axis=0)), 5)  # each its own start

    def test_episodes(self):
        env = jounce.gym.make_vec("CartPole", 4)
        env.horizon = 30
        env.reset(seed=1)
        over, counts = np.zeros(4, bool), np.zeros(4, int)
        for _ in range(100):
            observations, reward, terminated, truncated, info = env.step(np.full((4, 1), 1.0))
            np.testing.assert_array_equal(reward[over], 0)  # started anew, its action was not taken
            self.assertTrue((np.abs(observations[over]) <= 0.05).all())
            counts[over] = 0
            counts[~over] += 1
            self.assertTrue((counts <= 30).all())
            over = terminated | truncated
        self.assertFalse((terminated & truncated).any())
        one = jounce.gym.make("CartPole")
        with self.assertRaises(RuntimeError):
            one.step([0])
        observation, info = one.reset(seed=2)
        self.assertEqual(observation.shape, (4,))
        done = False
        while not done:
            observation, reward, terminated, truncated, info = one.step([1.0])
            done = terminated or truncated
        self.assertTrue(terminated)
        with self.assertRaises(RuntimeError):
            one.step([0])

    def test_own(self):
        class Fall(jounce.gym.VectorEnv):
            """A body that falls."""

            horizon = 5
            single_observation_space = jounce.gym.Box(-np.inf, np.inf, (1,))
            single_action_space = jounce.gym.Box(-1, 1, (1,))

            def make_model(self):
                return jounce.Model(bodies={"stone": dict(mass=1, com=[0, 0, 0], inertia=[1, 1, 1])}, gravity=[0, 0, -10],
                                    run=dict(until=1, integrator="rk4", step="10 ms"))

            def apply(self, actions):
                self.batch.tau[:, 2] = 10 * actions[:, 0]

            def observe(self):
                return self.batch.q[:, 2:3]

            def judge(self, observations, actions):
                return observations[:, 0], observations[:, 0] < -100

        jounce.gym.register("Fall", Fall)
        seen, _ = play(jounce.gym.make_vec("Fall", 2), lambda o: [[0], [1]], 4, 1)
        np.testing.assert_allclose(seen[-1], [[-0.5 * 10 * 0.04**2], [0]], atol=1e-7)
        for wrong in (lambda: jounce.gym.make("Nothing"), lambda: jounce.gym.register("x", int)):
            with self.assertRaises((KeyError, TypeError)):
                wrong()


class Policies(unittest.TestCase):
    def test_cart_pole_by_lqr(self):
        env = jounce.gym.make_vec("CartPole", 8)
        lin = env.model.linearise([0, 0])
        A, B = lin.A, lin.B[:, :1] * 10
        h, P = 0.02, np.eye(4)
        Ad, Bd = np.eye(4) + h * A + h * h / 2 * A @ A, h * B + h * h / 2 * A @ B
        for _ in range(2000):  # Riccati's equation by iteration
            K = np.linalg.solve(1 + Bd.T @ P @ Bd, Bd.T @ P @ Ad)
            P = np.eye(4) + Ad.T @ P @ (Ad - Bd @ K)
        seen, rewards = play(env, lambda o: -o @ K.T, 400, 5)
        self.assertEqual(rewards.sum(), 8 * 400)
        self.assertLess(np.abs(seen[-1]).max(), 1e-2)
        _, idle = play(env, lambda o: np.zeros((8, 1)), 400, 5)
        self.assertLess(idle.sum(), 8 * 400 - 8)  # it falls, and starts anew

    def test_athena_walks(self):
        env = jounce.gym.make_vec("Athena", 2, threads=2)
        _, rewards = play(env, lambda o: np.zeros((2, 18)), 60, 1)
        travelled = env.batch["body.torso.x"]
        np.testing.assert_allclose(travelled, 1.2 * 0.1216, rtol=0.1)  # the gait's own speed
        self.assertGreater(rewards.mean(), 1.0)
        _, lame = play(env, lambda o: np.tile([0, 1, -1], 6) * np.ones((2, 1)), 60, 1)
        self.assertLess(lame.mean(), rewards.mean())

    def test_charmie_is_placed_at_random(self):
        env = jounce.gym.make_vec("Charmie", 3, threads=2)
        first, _ = env.reset(seed=1)
        again, _ = env.reset(seed=1)
        other, _ = env.reset(seed=2)
        np.testing.assert_array_equal(first, again)
        self.assertGreater(np.abs(first - other)[:, 14:].max(), 1e-3)
        can = np.stack([env.batch["body.can.x"] - env.batch["body.base.x"], env.batch["body.can.y"] - env.batch["body.base.y"]], 1)
        np.testing.assert_allclose(other[:, 14:16], can, atol=1e-6)
        forward = np.array([[1, 1, -1, -1]]) * np.ones((3, 1)) * 0.5
        for _ in range(8):
            observations, reward, terminated, truncated, info = env.step(forward)
        self.assertTrue((observations[:, 0] > 0.005).all() and not terminated.any())
        np.testing.assert_allclose(env.batch["body.can.z"], 0.8, atol=1e-3)  # the can stands on its table


if __name__ == "__main__":
    unittest.main()
